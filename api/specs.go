package api

// Spec is an API description.
type Spec struct {
	Base
	Name string `json:"name"`
}

func specs() []Operation {
	op := func(path, id, doc string, r Result) Operation {
		return Operation{API: Both, Method: "GET", Path: path, ID: id, Tag: "Informational", Doc: doc, Access: Access{Rule: Public}, Result: r}
	}
	text := op("/specs/{id}/spec", "detailSpecBody", "Returns the OpenAPI document of one API, as JSON or, for Accept: text/yaml, as YAML.", Result{Text, nil, 200})
	text.Produces = []string{"application/json", "text/yaml"}
	swagger := op("/swagger.json", "showSwagger", "Returns the OpenAPI document of this API.", Result{Text, nil, 200})
	swagger.API, swagger.Produces = Both|Fabric, []string{"application/json"}
	openapi := swagger
	openapi.Path, openapi.ID, openapi.Own = "/openapi.json", "showOpenAPI", true
	page := swagger
	page.Path, page.ID, page.Doc, page.Produces = "/docs", "showDocs", "Returns the description of this API as a page to read.", []string{"text/html"}
	return []Operation{
		op("/specs", "listSpecs", "Lists the API descriptions.", arrayOf[Spec]()),
		op("/specs/{id}", "detailSpec", "Shows one API description.", detailOf[Spec]()),
		text, swagger, openapi, page,
	}
}
