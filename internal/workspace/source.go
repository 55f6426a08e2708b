package workspace

import (
	"context"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// A Source makes workspaces, and has what they have in common.
type Source struct {
	repo    *git.Repo
	trees   *treeCache
	overlay Overlay
	keep    []string        // paths relative to the top, sorted
	inIndex map[string]bool // tracked paths below keep
	tops    []string        // with keep: the spellings of the top
	library *library        // nil: submodules stay empty
	patches *patches        // nil: none
	conv    converter
}

// Options say what is in workspaces beside the files of a configuration.
type Options struct {
	Repo       *git.Repo
	Objects    string // a directory for the objects that gitdd makes
	Submodules bool   // workspaces have the files of submodules

	// Keep has untracked files and directories of the checkout that each workspace gets a copy of. Their names are
	// absolute, or relative to where gitdd was called, or else to the top. Symbolic links into the checkout, interpreters
	// of scripts and import paths of Python lead to the same places in the workspace.
	Keep []string

	// Overlay has files and directories that lie over every configuration: names as in Keep, or REV:PATH. They are
	// copied into the directory OverlayCopy; if it exists, what it has is used. In a repository without a checkout
	// names are relative to OverlayFrom.
	Overlay                  []string
	OverlayFrom, OverlayCopy string

	// Patches has names of files with patches that lie on every configuration. They are copied into the directory
	// PatchesCopy, which also gets objects of git; if it exists, the patches that it has are used.
	Patches     []string
	PatchesCopy string
}

// Open prepares what workspaces need. The Source has to be closed, after its workspaces are removed and its Snapshotters
// are closed.
func Open(ctx context.Context, o Options) (s *Source, err error) {
	s = &Source{repo: o.Repo, trees: newTreeCache(o.Repo)}
	if s.keep, s.inIndex, err = keepPaths(ctx, o.Repo, o.Keep); err != nil {
		return nil, err
	}
	if len(s.keep) > 0 {
		s.tops = topsOf(o.Repo)
	}
	if o.Submodules {
		s.library = newLibrary()
	}
	scratch, err := o.Repo.NewScratch(o.Objects)
	if err != nil {
		return nil, disk.Wrap("make a session", err)
	}
	if s.overlay, err = overlayOf(ctx, o, scratch); err != nil {
		return nil, err
	}
	if s.patches, err = newPatches(ctx, o.Repo, s.trees, o.Patches, o.PatchesCopy); err != nil {
		return nil, err
	}
	if s.conv, err = newConverter(ctx, o.Repo, scratch); err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the repositories of submodules.
func (s *Source) Close() error { return s.library.close() }

// Kept returns the paths of Options.Keep relative to the top, sorted.
func (s *Source) Kept() []string { return s.keep }

// OverlayDigest returns a digest of the paths, modes and contents of the overlay, "" if there is none.
func (s *Source) OverlayDigest() string { return s.overlay.Digest }

// PatchesDigest returns a digest of the patches, "" if there are none.
func (s *Source) PatchesDigest() string {
	if s.patches == nil {
		return ""
	}
	return s.patches.digest
}
