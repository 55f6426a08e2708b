package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

func html(t *testing.T, r report.Result, s report.Story) string {
	t.Helper()
	var b strings.Builder
	if err := report.HTML(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTML(t *testing.T) {
	for name, r := range cases() {
		t.Run(name, func(t *testing.T) {
			page := html(t, r, report.Story{})
			if !strings.Contains(page, "<h1") || strings.Contains(page, "<script") {
				t.Errorf("not a page of ours:\n%.500s", page)
			}
			if dir := os.Getenv("PAGES"); dir != "" {
				os.WriteFile(filepath.Join(dir, name+".html"), []byte(page), 0o644)
			}
		})
	}
}
