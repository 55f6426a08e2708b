package syntax

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	resyntax "regexp/syntax"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables anew from the modules of the grammars")

// modules are where the grammars of the tables come from.
var modules = map[Language]struct{ module, file string }{
	Go:         {"tree-sitter/tree-sitter-go", "src"},
	C:          {"tree-sitter/tree-sitter-c", "src"},
	CPP:        {"tree-sitter/tree-sitter-cpp", "src"},
	Python:     {"tree-sitter/tree-sitter-python", "src"},
	JavaScript: {"tree-sitter/tree-sitter-javascript", "src"},
	TypeScript: {"tree-sitter/tree-sitter-typescript", "typescript/src"},
	TSX:        {"tree-sitter/tree-sitter-typescript", "tsx/src"},
	Java:       {"tree-sitter/tree-sitter-java", "src"},
	Rust:       {"tree-sitter/tree-sitter-rust", "src"},
	Ruby:       {"tree-sitter/tree-sitter-ruby", "src"},
	PHP:        {"tree-sitter/tree-sitter-php", "php/src"},
	CSharp:     {"tree-sitter/tree-sitter-c-sharp", "src"},
	Bash:       {"tree-sitter/tree-sitter-bash", "src"},
	CSS:        {"tree-sitter/tree-sitter-css", "src"},
	HTML:       {"tree-sitter/tree-sitter-html", "src"},
	JSON:       {"tree-sitter/tree-sitter-json", "src"},
	YAML:       {"tree-sitter-grammars/tree-sitter-yaml", "src"},
	TOML:       {"tree-sitter-grammars/tree-sitter-toml", "src"},
	XML:        {"tree-sitter-grammars/tree-sitter-xml", "xml/src"},
}

// externals says what the tokens are that no grammar defines, since C code
// reads them. A name that is not here is never part of a shortest text.
var externals = map[Language]map[string]string{
	Python:     {"_newline": "", "string_start": `"`, "string_end": `"`, "_string_content": "a", "escape_interpolation": "{{"},
	JavaScript: {"_ternary_qmark": "?", "_template_chars": "a", "regex_pattern": "a", "jsx_text": "a", "escape_sequence": `\a`},
	Ruby: {"_line_break": "\n", "_no_line_break": "", "simple_symbol": ":a", "_string_start": `"`, "_string_end": `"`, "string_content": "a",
		"_symbol_start": `:"`, "_subshell_start": "`", "_regex_start": "/", "_string_array_start": "%w(", "_symbol_array_start": "%i(",
		"_block_ampersand": "&", "_splat_star": "*", "_unary_minus": "-", "_unary_minus_num": "-", "_binary_minus": "-", "_binary_star": "*",
		"_singleton_class_left_angle_left_langle": "<<", "hash_key_symbol": "a", "_identifier_suffix": "?", "_constant_suffix": "?",
		"_hash_splat_star_star": "**", "_binary_star_star": "**", "_element_reference_bracket": "["},
	PHP:    {"encapsed_string_chars": "a", "encapsed_string_chars_after_variable": "a", "execution_string_chars": "a", "_eof": ""},
	CSharp: {"_optional_semi": "", "interpolation_string_content": "a"},
	Bash:   {"_concat": "", "variable_name": "a", "test_operator": "-a", "regex": "a", "_regex_no_slash": "a", "_regex_no_space": "a", "_empty_value": "", "extglob_pattern": "a", "file_descriptor": "0", "_bare_dollar": "$", "_expansion_word": "a", "_immediate_double_hash": "##", "_external_expansion_sym_hash": "#", "_external_expansion_sym_bang": "!", "_external_expansion_sym_equal": "="},
	CSS:    {"_descendant_operator": " ", "_pseudo_class_selector_colon": ":"},
	HTML:   {"_start_tag_name": "a", "_script_start_tag_name": "script", "_style_start_tag_name": "style", "_end_tag_name": "a", "raw_text": "a", "erroneous_end_tag_name": "a"},
	YAML:   {"_bl": "", "_eof": "", "_s_doc_end": "...", "_s_drs_end": "---"},
	TOML:   {"_line_ending_or_eof": "\n"},
	XML:    {"PITarget": "a", "_pi_content": "", "Comment": "<!---->", "CharData": "a", "CData": "", "_start_tag_name": "a", "_end_tag_name": "a", "xml-model": "xml-model", "xml-stylesheet": "xml-stylesheet"},
	Rust:   {"string_content": "a", "float_literal": "0.", "_raw_string_literal_start": `r"`, "raw_string_literal_content": "a", "_raw_string_literal_end": `"`, "_line_doc_content": "\n"},
}

// yamlTokens are the tokens of YAML by the last parts of their names; they
// exist in up to five variants, by where a line break may stand before them.
var yamlTokens = map[string]string{
	"blk_seq_bgn": "-", "blk_key_bgn": "?", "blk_val_bgn": ":", "blk_imp_bgn": ":", "flw_seq_bgn": "[", "flw_seq_end": "]", "flw_map_bgn": "{", "flw_map_end": "}",
	"flw_sep_bgn": ",", "flw_key_bgn": "?", "flw_jsv_bgn": ":", "flw_njv_bgn": ": ", "dqt_str_bgn": `"`, "dqt_str_ctn": "a", "dqt_str_end": `"`,
	"sqt_str_bgn": "'", "sqt_str_ctn": "a", "sqt_str_end": "'", "sgl_pln_nul_blk": "~", "sgl_pln_nul_flw": "~", "sgl_pln_int_blk": "0", "sgl_pln_int_flw": "0",
	"sgl_pln_str_blk": "a", "sgl_pln_str_flw": "a", "tag": "!", "acr_bgn": "&", "acr_ctn": "a", "als_bgn": "*", "als_ctn": "a",
}

const (
	yamlSequence     = `_b_blk_seq_itm@block_sequence_item+ _bl`
	yamlMapping      = `_b_blk_map_itm+ _bl`
	yamlFlowSequence = `"[" ((_r_flw_seq_itm | _br_flw_seq_itm) ("," (_r_flw_seq_itm | _br_flw_seq_itm))* ","?)? "]"`
	yamlFlowMapping  = `"{" ((_r_flw_map_itm | _br_flw_map_itm) ("," (_r_flw_map_itm | _br_flw_map_itm))* ","?)? "}"`
)

// instead holds rules that are written otherwise than in the grammar: where it
// takes more than the language does, or says it in a way that hides a list.
var instead = map[Language]map[string]string{
	Python: { // a block has a statement, and is not left out
		"block":      `_statement+ _dedent`,
		"_suite":     `_simple_statements@block | _indent block`,
		"assignment": `_left_hand_side (":" type)? ("=" _right_hand_side)?`,
	},
	Go: { // nothing but a call
		"go_statement":    `"go" call_expression`,
		"defer_statement": `"defer" call_expression`,
	},
	YAML: { // the first of a list is one of a list, wherever lines may break
		"_r_blk_seq":      yamlSequence,
		"_br_blk_seq":     yamlSequence,
		"_r_blk_map":      yamlMapping,
		"_br_blk_map":     yamlMapping,
		"_r_flw_seq":      yamlFlowSequence,
		"_br_flw_seq":     yamlFlowSequence,
		"_r_sgl_flw_seq":  yamlFlowSequence,
		"_br_sgl_flw_seq": yamlFlowSequence,
		"_b_sgl_flw_seq":  yamlFlowSequence,
		"_r_flw_map":      yamlFlowMapping,
		"_br_flw_map":     yamlFlowMapping,
		"_r_sgl_flw_map":  yamlFlowMapping,
		"_br_sgl_flw_map": yamlFlowMapping,
		"_b_sgl_flw_map":  yamlFlowMapping,
	},
	Rust: { // not from the left
		"_let_chain": `(let_condition | _expression) ("&&" (let_condition | _expression))*`,
	},
	Ruby: { // "def a=0" would define a=
		"_body_expr": `"=" (_arg | rescue_modifier_arg@rescue_modifier) !`,
	},
	JSON: { // a key is a string
		"document": `_value+`,
		"pair":     `string ":" _value`,
	},
}

// TestTables holds the tables to the grammars of the modules. With -update it
// writes them.
func TestTables(t *testing.T) {
	if testing.Short() && !*update {
		t.Skip("reads all modules")
	}
	total := 0
	for l, m := range modules {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/"+m.module).Output()
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), m.file, "grammar.json"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := table(l, content)
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		total += len(want)
		file := filepath.Join("tables", tableNames[l])
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the grammar says: run go generate ./internal/syntax and read the difference", file)
		}
	}
	if total > 300<<10 {
		t.Errorf("the tables have %d bytes", total)
	}
}

type jsonRule struct {
	Type    string     `json:"type"`
	Name    string     `json:"name"`
	Value   any        `json:"value"`
	Named   bool       `json:"named"`
	Content *jsonRule  `json:"content"`
	Members []jsonRule `json:"members"`
}

type jsonGrammar struct {
	Rules      json.RawMessage `json:"rules"`
	Externals  []jsonRule      `json:"externals"`
	Supertypes []string        `json:"supertypes"`
}

// table writes a grammar in the format of tables.go.
func table(l Language, content []byte) ([]byte, error) {
	var g jsonGrammar
	if err := json.Unmarshal(content, &g); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%% %s\n", strings.Join(g.Supertypes, " "))
	d := json.NewDecoder(bytes.NewReader(g.Rules))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	defined := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var r jsonRule
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		defined[name.(string)] = true
		text := instead[l][name.(string)]
		if text == "" {
			if leaf, ok := lexical(&r); ok {
				text = "~" + strconv.Quote(leaf)
				if plain, ok := plainString(&r); ok {
					text += " | " + strconv.Quote(plain) // has a node if the text stands elsewhere, too
				}
			} else {
				text = expressed(&r, 0)
			}
		}
		fmt.Fprintf(&out, "%s = %s\n", name, text)
	}
	for _, e := range g.Externals {
		if e.Type != "SYMBOL" || defined[e.Name] {
			continue
		}
		from := l
		if l == TypeScript || l == TSX {
			from = JavaScript
		}
		text, ok := externals[from][e.Name]
		if !ok && l == YAML {
			if _, rest, cut := strings.Cut(strings.TrimPrefix(e.Name, "_"), "_"); cut {
				text, ok = yamlTokens[rest]
			}
		}
		if ok {
			fmt.Fprintf(&out, "%s = ~%q\n", e.Name, text)
		} else {
			fmt.Fprintf(&out, "%s = !\n", e.Name)
		}
	}
	return out.Bytes(), nil
}

// lexical returns the shortest text of a rule that is one token.
func lexical(r *jsonRule) (string, bool) {
	switch r.Type {
	case "TOKEN", "IMMEDIATE_TOKEN", "STRING", "PATTERN":
		return token(r), true
	case "PREC", "PREC_LEFT", "PREC_RIGHT", "PREC_DYNAMIC", "FIELD", "RESERVED":
		return lexical(r.Content)
	}
	return "", false
}

// token returns the shortest text that a token matches.
func token(r *jsonRule) string {
	switch r.Type {
	case "STRING":
		return r.Value.(string)
	case "PATTERN":
		return shortestMatch(r.Value.(string))
	case "BLANK", "REPEAT":
		return ""
	case "SEQ":
		text := ""
		for i := range r.Members {
			text += token(&r.Members[i])
		}
		return text
	case "CHOICE":
		best := token(&r.Members[0])
		for i := range r.Members[1:] {
			if text := token(&r.Members[1+i]); shorter(text, best) {
				best = text
			}
		}
		return best
	}
	return token(r.Content)
}

var expansions = strings.NewReplacer(
	`\p{XID_Start}`, `\p{L}`, `\p{XID_Continue}`, `\p{L}\p{Nd}_`, `\p{ID_Start}`, `\p{L}`, `\p{ID_Continue}`, `\p{L}\p{Nd}_`, `\p{ID_Compat_Math_Continue}`, `\p{Sm}`, `\p{ID_Compat_Math_Start}`, `\p{Sm}`, `\p{Letter}`, `\p{L}`,
	`\p{Emoji}`, `\x{1F600}`, `\p{Emoji_Modifier_Base}`, `\x{1F600}`, `\p{Emoji_Modifier}`, `\x{1F600}`, `\p{Emoji_Presentation}`, `\x{1F600}`,
	`(?s)`, ``)

var codePoint = regexp.MustCompile(`\\u\{?([0-9A-Fa-f]{4,6})\}?`)

// shortestMatch returns the shortest text that a pattern matches whole. A
// letter is an a where that is allowed, a digit 0.
func shortestMatch(pattern string) string {
	pattern = codePoint.ReplaceAllString(expansions.Replace(pattern), `\x{$1}`)
	re, err := resyntax.Parse(pattern, resyntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", pattern, err))
	}
	return shortestOf(re)
}

func shortestOf(re *resyntax.Regexp) string {
	switch re.Op {
	case resyntax.OpLiteral:
		return string(re.Rune)
	case resyntax.OpAnyChar, resyntax.OpAnyCharNotNL:
		return "a"
	case resyntax.OpCharClass:
		in := func(r rune) bool {
			for i := 0; i < len(re.Rune); i += 2 {
				if re.Rune[i] <= r && r <= re.Rune[i+1] {
					return true
				}
			}
			return false
		}
		for _, r := range "a0A1_ \n!#$%&*+-./:;<=>?@^|~" {
			if in(r) {
				return string(r)
			}
		}
		return string(re.Rune[0])
	case resyntax.OpPlus, resyntax.OpCapture:
		return shortestOf(re.Sub[0])
	case resyntax.OpRepeat:
		return strings.Repeat(shortestOf(re.Sub[0]), re.Min)
	case resyntax.OpConcat:
		text := ""
		for _, sub := range re.Sub {
			text += shortestOf(sub)
		}
		return text
	case resyntax.OpAlternate:
		best := shortestOf(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			if text := shortestOf(sub); shorter(text, best) {
				best = text
			}
		}
		return best
	}
	return "" // star, question mark, empty, anchors
}

// How tight an expression binds: a choice, a sequence, an operand.
const (
	inChoice = iota
	inSequence
	asOperand
)

// expressed writes a rule. Fields, precedences and reserved words are left
// out: they do not matter for what may stand where.
func expressed(r *jsonRule, at int) string {
	brackets := func(is int, text string) string {
		if at > is {
			return "(" + text + ")"
		}
		return text
	}
	switch r.Type {
	case "BLANK":
		return "()"
	case "STRING":
		return strconv.Quote(r.Value.(string))
	case "PATTERN":
		return "~" + strconv.Quote(token(r))
	case "TOKEN", "IMMEDIATE_TOKEN":
		if text, ok := plainString(r); ok {
			return strconv.Quote(text)
		}
		return "~" + strconv.Quote(token(r))
	case "SYMBOL":
		return r.Name
	case "REPEAT":
		return expressed(r.Content, asOperand) + "*"
	case "REPEAT1":
		return expressed(r.Content, asOperand) + "+"
	case "ALIAS":
		name := r.Value.(string)
		if !r.Named {
			name = strconv.Quote(name)
		}
		return expressed(r.Content, asOperand) + "@" + name
	case "SEQ":
		var parts []string
		for i := range r.Members {
			parts = append(parts, expressed(&r.Members[i], inSequence))
		}
		if len(parts) == 1 {
			return expressed(&r.Members[0], at)
		}
		return brackets(inSequence-1+1, strings.Join(parts, " "))
	case "CHOICE":
		var parts []string
		blank := false
		for i := range r.Members {
			if r.Members[i].Type == "BLANK" {
				blank = true
				continue
			}
			parts = append(parts, expressed(&r.Members[i], inSequence))
		}
		switch {
		case len(parts) == 1 && blank:
			for i := range r.Members {
				if r.Members[i].Type != "BLANK" {
					return expressed(&r.Members[i], asOperand) + "?"
				}
			}
		case blank:
			return "(" + strings.Join(parts, " | ") + ")?"
		case len(parts) == 1:
			return expressed(&r.Members[0], at)
		}
		return brackets(inChoice, strings.Join(parts, " | "))
	}
	if r.Content == nil {
		panic("what is " + r.Type)
	}
	return expressed(r.Content, at)
}

// plainString returns the string that a token is, which then has a node.
func plainString(r *jsonRule) (string, bool) {
	switch r.Type {
	case "STRING":
		return r.Value.(string), true
	case "TOKEN", "IMMEDIATE_TOKEN", "PREC", "PREC_LEFT", "PREC_RIGHT", "PREC_DYNAMIC":
		return plainString(r.Content)
	}
	return "", false
}
