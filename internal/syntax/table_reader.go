package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// A parsed is an expression as the table has it.
type parsed struct {
	what  byte // '"' text, '~' token, 'a' symbol, '!' never, ' ' sequence, '|', '?', '*', '+', 'L' list
	text  string
	alias string // its key, "" = none
	subs  []*parsed
	trail bool        // of a list
	found *expression // what was built of it; nil before
}

func (p *parsed) String() string {
	var s strings.Builder
	s.WriteByte(p.what)
	s.WriteString(p.text)
	if p.alias != "" {
		s.WriteString("@" + p.alias)
	}
	s.WriteByte('(')
	for _, sub := range p.subs {
		s.WriteString(sub.String())
	}
	s.WriteByte(')')
	return s.String()
}

type tableReader struct {
	text string
	at   int
}

func (r *tableReader) skip(s string) bool {
	if strings.HasPrefix(r.text[r.at:], s) {
		r.at += len(s)
		return true
	}
	return false
}

func (r *tableReader) choice() (*parsed, error) {
	p := &parsed{what: '|'}
	for {
		sub, err := r.sequence()
		if err != nil {
			return nil, err
		}
		p.subs = append(p.subs, sub)
		if !r.skip(" | ") {
			break
		}
	}
	if len(p.subs) == 1 {
		return p.subs[0], nil
	}
	return p, nil
}

func (r *tableReader) sequence() (*parsed, error) {
	p := &parsed{what: ' '}
	for {
		sub, err := r.operand()
		if err != nil {
			return nil, err
		}
		p.subs = append(p.subs, sub)
		if strings.HasPrefix(r.text[r.at:], " |") || !r.skip(" ") {
			break
		}
	}
	if len(p.subs) == 1 {
		return p.subs[0], nil
	}
	return p, nil
}

func (r *tableReader) operand() (p *parsed, err error) {
	if r.at >= len(r.text) {
		return nil, fmt.Errorf("the line ends too early")
	}
	switch c := r.text[r.at]; c {
	case '(':
		r.at++
		if r.skip(")") {
			p = &parsed{what: '~'}
			break
		}
		if p, err = r.choice(); err != nil {
			return nil, err
		}
		if !r.skip(")") {
			return nil, fmt.Errorf("no ) at %q", r.text[r.at:])
		}
	case '"':
		text, err := r.quoted()
		if err != nil {
			return nil, err
		}
		p = &parsed{what: '"', text: text}
	case '~':
		r.at++
		text, err := r.quoted()
		if err != nil {
			return nil, err
		}
		p = &parsed{what: '~', text: text}
	case '!':
		r.at++
		p = &parsed{what: '!'}
	default:
		name := r.word()
		if name == "" {
			return nil, fmt.Errorf("what is %q", r.text[r.at:])
		}
		p = &parsed{what: 'a', text: name}
	}
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case '?', '*', '+':
			r.at++
			p = &parsed{what: c, subs: []*parsed{p}}
		case '@':
			r.at++
			alias := ""
			if r.text[r.at] == '"' {
				text, err := r.quoted()
				if err != nil {
					return nil, err
				}
				alias = `"` + text
			} else {
				alias = r.word()
			}
			p = aliased(p, alias)
		default:
			return p, nil
		}
	}
	return p, nil
}

// aliased gives a name to the symbols of an expression: each has a node then.
func aliased(p *parsed, alias string) *parsed {
	q := *p
	if len(p.subs) == 0 {
		if q.alias == "" {
			q.alias = alias
		}
		return &q
	}
	if p.what == '*' || p.what == '+' { // one node around all of them
		return &parsed{what: '!', alias: alias}
	}
	q.subs = nil
	for _, sub := range p.subs {
		q.subs = append(q.subs, aliased(sub, alias))
	}
	return &q
}

func (r *tableReader) quoted() (string, error) {
	quoted, err := strconv.QuotedPrefix(r.text[r.at:])
	if err != nil {
		return "", err
	}
	r.at += len(quoted)
	return strconv.Unquote(quoted)
}

func (r *tableReader) word() string {
	from := r.at
	for r.at < len(r.text) && strings.IndexByte(" ()?*+@|", r.text[r.at]) < 0 {
		r.at++
	}
	return r.text[from:r.at]
}
