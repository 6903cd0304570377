package api

// unimplemented returns operations that the APIs declare and that answer 501:
// their paths are known, so that a caller can tell them from a wrong address.
func unimplemented() []Operation {
	var out []Operation
	add := func(a API, tag string, rows ...[3]string) {
		for _, r := range rows {
			out = append(out, Operation{API: a, Method: r[0], Path: r[1], ID: r[2], Tag: tag,
				Doc: "Not available.", Access: Access{Rule: NotImplemented}, Result: nothing()})
		}
	}
	add(Client, "Service", [3]string{"PUT", "/services/{id}", "updateService"}, [3]string{"PATCH", "/services/{id}", "patchService"},
		[3]string{"DELETE", "/services/{id}", "deleteService"})
	add(Client, "Enroll", [3]string{"POST", "/enroll/challenge", "enrollmentChallenge"}, [3]string{"GET", "/enroll/jwks", "getEnrollmentJwks"})
	add(Management, "Settings",
		[3]string{"GET", "/controller-settings", "listControllerSettings"}, [3]string{"POST", "/controller-settings", "createControllerSetting"},
		[3]string{"GET", "/controller-settings/{id}", "detailControllerSetting"},
		[3]string{"GET", "/controller-settings/{id}/effective", "detailControllerSettingEffective"},
		[3]string{"PUT", "/controller-settings/{id}/effective", "updateControllerSetting"},
		[3]string{"PATCH", "/controller-settings/{id}/effective", "patchControllerSetting"},
		[3]string{"DELETE", "/controller-settings/{id}/effective", "deleteControllerSetting"})
	return out
}
