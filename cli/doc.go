// Package cli holds the commands that talk to a controller through its public
// API. Commands are values: New builds the tree, the main function adds the
// commands of its own processes, Run executes it. Nothing here ends the
// process or uses global state.
//
// Answers go to standard output and nothing else does; everything meant for
// people on the way, and refusals as code, cause and remedy, go to standard
// error.
package cli

// Exit codes, which scripts may rely on.
const (
	ExitOK           = 0 // done
	ExitFailure      = 1 // failed for a reason that has no code of its own
	ExitUsage        = 2 // the command line is wrong; nothing was done
	ExitUnauthorized = 3 // not logged in, or the login has ended, or not allowed
	ExitNotFound     = 4 // the entity, or one that was named, does not exist
	ExitRefused      = 5 // the controller refused the request
	ExitUnavailable  = 6 // the controller cannot be reached or cannot answer now
	ExitDifferent    = 7 // weft diff: the network is not as it is declared
	ExitInterrupted  = 130
)

const exitHelp = `Answers go to standard output: -o table for people; -o json, yaml and csv for
programs, with members in the order of their names; later versions add members
and take none away, and csv keeps its columns where --columns names them. -o name
prints names alone. -j prints what the controller answered. Everything else goes
to standard error, an error as code, cause and remedy, with -o json as one object.

Exit codes: 0 done, 1 failed, 2 wrong command line, 3 not logged in or not
allowed, 4 not found, 5 refused by the controller, 6 controller unavailable,
7 the network differs from the declaration (diff), 130 interrupted.

Variables: WEFT_CONFIG_DIR directory of the contexts, WEFT_CONTEXT context to
use, WEFT_PASSWORD, WEFT_NEW_PASSWORD and WEFT_CODE secrets for login, password.`
