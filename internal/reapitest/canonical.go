package reapitest

import (
	"path"
	"slices"
	"strings"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// directory reads a Directory and holds it to the canonical form.
func (s *Server) directory(d digest) (*repb.Directory, error) {
	folder := &repb.Directory{}
	if err := s.message("Directory", d, folder); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	check := func(kind string, name, before string) error {
		switch {
		case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
			return s.invalid("Directory %s: %s %q", d, kind, name)
		case names[name]:
			return s.invalid("Directory %s has two entries %q", d, name)
		case before > name: // equal ones are told above
			return s.invalid("Directory %s: %s %q stands behind %q", d, kind, name, before)
		}
		names[name] = true
		return nil
	}
	before := ""
	for _, f := range folder.Files {
		if err := check("file", f.Name, before); err != nil {
			return nil, err
		}
		if _, err := s.digestOf("file "+f.Name, f.Digest); err != nil {
			return nil, err
		}
		if f.NodeProperties != nil {
			return nil, s.invalid("Directory %s: node properties of %q were not announced", d, f.Name)
		}
		before = f.Name
	}
	before = ""
	for _, sub := range folder.Directories {
		if err := check("directory", sub.Name, before); err != nil {
			return nil, err
		}
		if _, err := s.digestOf("directory "+sub.Name, sub.Digest); err != nil {
			return nil, err
		}
		before = sub.Name
	}
	before = ""
	for _, l := range folder.Symlinks {
		if err := check("symbolic link", l.Name, before); err != nil {
			return nil, err
		}
		if l.Target == "" || strings.Contains(l.Target, "\x00") {
			return nil, s.invalid("Directory %s: symbolic link %q to %q", d, l.Name, l.Target)
		}
		if s.o.NoAbsolute && strings.HasPrefix(l.Target, "/") {
			return nil, s.invalid("Directory %s: symbolic link %q to %q: absolute ones are not allowed", d, l.Name, l.Target)
		}
		before = l.Name
	}
	return folder, nil
}

// A job is an action with its command.
type job struct {
	key        digest
	action     *repb.Action
	command    *repb.Command
	root       digest
	properties []*repb.Platform_Property
}

// job reads an action and its command, and holds them to their canonical form.
func (s *Server) job(key digest) (*job, error) {
	j := &job{key: key, action: &repb.Action{}, command: &repb.Command{}}
	if err := s.message("Action", key, j.action); err != nil {
		return nil, err
	}
	d, err := s.digestOf("the command of an action", j.action.CommandDigest)
	if err != nil {
		return nil, err
	}
	if j.root, err = s.digestOf("the input root of an action", j.action.InputRootDigest); err != nil {
		return nil, err
	}
	if t := j.action.Timeout; t != nil && (t.CheckValid() != nil || t.AsDuration() <= 0) {
		return nil, s.invalid("Action %s: timeout %v", key, t)
	} else if most := s.o.MaxTimeout; most > 0 && t.AsDuration() > most {
		return nil, status.Errorf(codes.InvalidArgument, "timeout %v, at most %v is allowed", t.AsDuration(), most)
	}
	if err := s.message("Command", d, j.command); err != nil {
		return nil, err
	}
	if err := s.checkCommand(j.command); err != nil {
		return nil, err
	}
	//lint:ignore SA1019 a client for servers before 2.2 sets it, too
	old := j.command.Platform
	j.properties = j.action.GetPlatform().GetProperties()
	if j.action.Platform == nil {
		j.properties = old.GetProperties()
	} else if old != nil && !slices.EqualFunc(j.properties, old.Properties, sameProperty) {
		return nil, s.invalid("Action %s has other platform properties than its command", key)
	}
	for i, p := range j.properties {
		if p.Name == "" {
			return nil, s.invalid("Action %s: a platform property without a name", key)
		}
		if i > 0 && compareProperty(j.properties[i-1], p) >= 0 {
			return nil, s.invalid("Action %s: platform property %q stands twice, or behind %q", key, p.Name, j.properties[i-1].Name)
		}
	}
	return j, nil
}

func sameProperty(a, b *repb.Platform_Property) bool { return compareProperty(a, b) == 0 }

func compareProperty(a, b *repb.Platform_Property) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.Value, b.Value)
}

func (s *Server) checkCommand(c *repb.Command) error {
	if len(c.Arguments) == 0 || c.Arguments[0] == "" {
		return s.invalid("a Command without arguments")
	}
	for _, a := range c.Arguments {
		if strings.Contains(a, "\x00") {
			return s.invalid("a Command with argument %q", a)
		}
	}
	for i, v := range c.EnvironmentVariables {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return s.invalid("a Command with environment variable %q = %q", v.Name, v.Value)
		}
		if i > 0 && c.EnvironmentVariables[i-1].Name >= v.Name {
			return s.invalid("a Command: environment variable %q stands twice, or behind %q", v.Name, c.EnvironmentVariables[i-1].Name)
		}
	}
	for i, p := range c.OutputPaths {
		if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") {
			return s.invalid("a Command with output path %q", p)
		}
		if i > 0 && c.OutputPaths[i-1] >= p {
			return s.invalid("a Command: output path %q stands twice, or behind %q", p, c.OutputPaths[i-1])
		}
	}
	if w := c.WorkingDirectory; w != "" && (path.IsAbs(w) || path.Clean(w) != w || w == ".." || strings.HasPrefix(w, "../")) {
		return s.invalid("a Command with working directory %q", w)
	}
	if len(c.OutputNodeProperties) > 0 {
		return s.invalid("a Command asks for node properties, which were not announced")
	}
	return nil
}

// suited reports by an error if no worker has the properties.
func (s *Server) suited(j *job) error {
	if s.o.Properties == nil {
		return nil
	}
	for _, p := range j.properties {
		if !slices.Contains(s.o.Properties[p.Name], p.Value) {
			return status.Errorf(codes.FailedPrecondition, "no worker has %s=%s", p.Name, p.Value)
		}
	}
	return nil
}
