package reduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
)

// A function in place of a command: a query fails as long as it selects from a
// subquery.
func ExampleReduce() {
	query := "SELECT name, price FROM (SELECT * FROM goods WHERE price > 10) AS g ORDER BY name;\n"
	test := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
		text := in.Files[0].Content
		if bytes.Contains(text, []byte("FROM (SELECT")) && bytes.Count(text, []byte("(")) == bytes.Count(text, []byte(")")) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	input := testcase.Input{Files: []testcase.File{{Path: "query.sql", Content: []byte(query)}}}
	result, err := reduce.Reduce(context.Background(), input, test, reduce.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", result.Output.Files[0].Content)
	fmt.Println("minimal", result.Minimal, "as", result.Formats[0])
	// Output:
	// FROM (SELECT)
	// minimal true as sql
}

// Messages are netstrings, "5:hello,", which may hold netstrings. What is taken out
// of one changes the length that it begins with: Repair sees to that, and so every
// candidate is well-formed.
func Example_format() {
	netstrings := reduce.Format{
		Name:  "netstrings",
		About: "messages in messages",
		Parse: parseNetstrings,
	}
	session := "25:5:hello,3:you,8:how's it,,31:11:are you ok?,4:fine,6:stop!!,,7:4:bye!,,"
	trials := 0
	server := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
		trials++
		tree, err := parseNetstrings(in.Files[0].Content)
		if err != nil {
			return isolate.Unresolved, nil // the server would not even read it
		}
		for _, message := range tree.Root.Children {
			for _, part := range message.Children {
				if bytes.Contains(tree.Source[part.From:part.To], []byte("stop")) {
					return isolate.Fail, nil
				}
			}
		}
		return isolate.Pass, nil
	}
	input := testcase.Input{Files: []testcase.File{{Path: "session", Content: []byte(session)}}}
	result, err := reduce.Reduce(context.Background(), input, server, reduce.Options{
		Format:  netstrings.Name,
		Formats: []reduce.Format{netstrings},
		Passes:  []string{"structure"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s in %d trials, minimal %v\n", result.Output.Files[0].Content, trials, result.Minimal)
	// Output: 9:6:stop!!,, in 7 trials, minimal true
}

// parseNetstrings cuts netstrings, one behind the other (D. J. Bernstein, 1997).
func parseNetstrings(content []byte) (*reduce.Tree, error) {
	root := &reduce.Node{To: len(content)}
	var err error
	root.Children, err = netstringsIn(content, 0, len(content))
	return &reduce.Tree{Source: content, Root: root}, err
}

func netstringsIn(content []byte, from, to int) ([]*reduce.Node, error) {
	var list []*reduce.Node
	for at := from; at < to; {
		digits := bytes.IndexByte(content[at:to], ':')
		if digits < 0 {
			return nil, fmt.Errorf("byte %d: a length without a colon", at)
		}
		length, err := strconv.Atoi(string(content[at : at+digits]))
		begin := at + digits + 1
		if err != nil || length < 0 || begin+length >= to || content[begin+length] != ',' {
			return nil, fmt.Errorf("byte %d: no netstring of this length", at)
		}
		node := &reduce.Node{Kind: "netstring", From: at, To: begin + length + 1, Repair: count}
		// Its content is text unless it is netstrings through and through.
		if inner, err := netstringsIn(content, begin, begin+length); err == nil {
			node.Children = inner
		}
		list = append(list, node)
		at = node.To
	}
	return list, nil
}

// count makes the length of a netstring right again.
func count(text []byte) []byte {
	_, rest, ok := bytes.Cut(text, []byte(":"))
	if !ok || len(rest) == 0 {
		return text
	}
	return append(strconv.AppendInt(nil, int64(len(rest)-1), 10), append([]byte(":"), rest...)...)
}

// What of the difference between two inputs makes one fail.
func ExampleIsolate() {
	passing := "retries = 3\ncolor = auto\ncache = on\nthreads = 1\n"
	failing := "retries = 5\ncolor = always\ncache = off\nthreads = 8\n"
	test := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
		text := in.Files[0].Content
		if bytes.Contains(text, []byte("cache = off")) && bytes.Contains(text, []byte("threads = 8")) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	file := func(text string) testcase.Input {
		return testcase.Input{Files: []testcase.File{{Path: "settings", Content: []byte(text)}}}
	}
	found, err := reduce.Isolate(context.Background(), file(passing), file(failing), test, reduce.DifferenceOptions{Format: "lines"})
	if _, ok := errors.AsType[*isolate.EndsError](err); ok {
		fmt.Println("they do not pass and fail")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d differences:\n%s", found.Left, found.Total, found.Failing.Files[0].Content)
	// Output:
	// 2 of 4 differences:
	// retries = 3
	// color = auto
	// cache = off
	// threads = 8
}
