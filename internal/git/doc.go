// Package git is the only place that runs the git program.
//
// A [Repo] is what git itself finds in a directory: normal, bare, linked
// worktree, shallow, partial, sparse, with alternates, sha256 or reftable. git
// is asked first, so safe.directory, GIT_DIR and GIT_WORK_TREE mean what they
// mean to git; from then on every command names the git directory, and nothing
// in the environment can turn it to another repository, index or object store.
//
// An object id means the bytes whose hash it is: replacement refs count where a
// name becomes a commit or a tree ([Repo.Resolve]) and in history ([Repo.Git]),
// never below a tree ([Repo.Tree], [Repo.Blob], [Repo.DiffTrees], [Scratch],
// [Workspace]).
//
// Guarantees:
//   - The user's files, index, refs, logs, config and stash are never written,
//     but by [Repo.Apply], which the user asks for. Own objects go to a
//     [Scratch]; a [Workspace] is a repository of its own. The one thing git may
//     add to the user's object store are objects that a partial clone fetches on
//     demand.
//   - Programs that the repository's own config names (hooks, fsmonitor,
//     external diff, textconv, aliases, transports) are not run; to keep a
//     partial clone from fetching with one takes git 2.39.4, 2.40.2 or newer.
//     Its filters are, where files are written or compared as git does
//     ([Repo.NewWorkspace], [Scratch.Checkout], [Repo.Apply], [Repo.EditedPaths]).
//   - Every method is safe for concurrent use, but for those of one [Workspace].
//
// Windows and other systems without sessions lose only the protection of git
// against the terminal's Ctrl-C.
package git
