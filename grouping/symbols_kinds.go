//go:build cgo

package grouping

import (
	"maps"

	ts "github.com/tree-sitter/go-tree-sitter"
)

// The node kinds that declare something, per language, by the names of
// node-types.json of the pinned grammar versions.

var cKinds = map[string]rule{
	"comment":               {what: comment},
	"function_definition":   {what: function, names: declarators},
	"declaration":           {what: variable, names: declarators},
	"type_definition":       {names: declarators, what: plain},
	"struct_specifier":      {what: container, names: withBody},
	"union_specifier":       {what: container, names: withBody},
	"enum_specifier":        {what: container, names: withBody},
	"field_declaration":     {what: field, names: declarators},
	"enumerator":            {what: plain, names: named},
	"preproc_def":           {what: plain, names: named},
	"preproc_function_def":  {what: plain, names: named},
	"preproc_if":            {what: transparent},
	"preproc_ifdef":         {what: transparent},
	"preproc_else":          {what: transparent},
	"preproc_elif":          {what: transparent},
	"preproc_elifdef":       {what: transparent},
	"linkage_specification": {what: transparent},
	"declaration_list":      {what: transparent},
}

var cppKinds = extend(cKinds, map[string]rule{
	"class_specifier":      {what: container, names: withBody},
	"namespace_definition": {what: transparent | data, names: named},
	"template_declaration": {what: wrapper},
	"alias_declaration":    {what: plain, names: named},
	"concept_definition":   {what: plain, names: named},
	"lambda_expression":    {what: function},
})

var pythonKinds = map[string]rule{
	"comment":              {what: comment},
	"decorated_definition": {what: wrapper},
	"decorator":            {what: comment},
	"function_definition":  {what: function, names: named},
	"class_definition":     {what: container, names: named},
	"expression_statement": {what: variable, names: assigned("assignment", []string{"identifier"}, nil)},
}

// scriptKinds serves JavaScript, TypeScript and TSX: kinds that a grammar does
// not have do no harm.
var scriptKinds = map[string]rule{
	"comment":                        {what: comment},
	"decorator":                      {what: comment},
	"export_statement":               {what: wrapper},
	"ambient_declaration":            {what: wrapper},
	"function_declaration":           {what: function, names: named},
	"generator_function_declaration": {what: function, names: named},
	"function_signature":             {what: plain, names: named},
	"arrow_function":                 {what: function},
	"function_expression":            {what: function},
	"generator_function":             {what: function},
	"class_declaration":              {what: container, names: named},
	"abstract_class_declaration":     {what: container, names: named},
	"method_definition":              {what: function | field, names: named},
	"field_definition":               {what: field, names: plainNames(by("property"))},
	"public_field_definition":        {what: field, names: plainNames(named)},
	"method_signature":               {what: field, names: named},
	"abstract_method_signature":      {what: field, names: named},
	"property_signature":             {what: field, names: plainNames(named)},
	"pair":                           {what: field, names: methods},
	"shorthand_property_identifier":  {what: field, names: methods},
	"interface_declaration":          {what: container, names: named},
	"type_alias_declaration":         {what: plain, names: named},
	"enum_declaration":               {what: container, names: named},
	"enum_assignment":                {what: field, names: plainNames(named)},
	"internal_module":                {what: transparent | data, names: named},
	"module":                         {what: transparent | data, names: named},
	"lexical_declaration":            {what: variable, names: plainNames(every("variable_declarator", named))},
	"variable_declaration":           {what: variable, names: plainNames(every("variable_declarator", named))},
	"expression_statement": {what: member | transparent, names: assigned("assignment_expression", []string{"member_expression"},
		[]string{"function_expression", "arrow_function", "class", "generator_function"})},
}

// methods names the properties of an object that code refers to as methods: one whose value is a function and,
// in an object that is assigned to a member, such as module.exports, one whose value is a name.
func methods(n *ts.Node) []*ts.Node {
	key, value := n, n // { f } has both in one
	if n.Kind() == "pair" {
		key, value = n.ChildByFieldName("key"), n.ChildByFieldName("value")
	}
	if key == nil || value == nil {
		return nil
	}
	switch value.Kind() {
	case "function_expression", "arrow_function", "generator_function":
		return []*ts.Node{key}
	case "identifier", "shorthand_property_identifier":
		object := n.Parent()
		if object == nil || object.Parent() == nil || object.Parent().Kind() != "assignment_expression" {
			return nil
		}
		if to := object.Parent().ChildByFieldName("left"); to != nil && to.Kind() == "member_expression" {
			return []*ts.Node{key}
		}
	}
	return nil
}

var javaKinds = map[string]rule{
	"line_comment":                        {what: comment},
	"block_comment":                       {what: comment},
	"class_declaration":                   {what: container, names: named},
	"interface_declaration":               {what: container, names: named},
	"annotation_type_declaration":         {what: container, names: named},
	"enum_declaration":                    {what: container, names: named},
	"record_declaration":                  {what: container, names: named},
	"method_declaration":                  {what: function, names: named},
	"constructor_declaration":             {what: function | data, names: named},
	"annotation_type_element_declaration": {what: field, names: named},
	"field_declaration":                   {what: field, names: every("variable_declarator", named)},
	"constant_declaration":                {what: field, names: every("variable_declarator", named)},
	"enum_constant":                       {what: field, names: named},
	"lambda_expression":                   {what: function},
}

var rustKinds = map[string]rule{
	"line_comment":            {what: comment},
	"block_comment":           {what: comment},
	"attribute_item":          {what: comment},
	"function_item":           {what: function, names: named},
	"function_signature_item": {names: named, what: function},
	"struct_item":             {what: container, names: named},
	"enum_item":               {what: container, names: named},
	"union_item":              {what: container, names: named},
	"trait_item":              {what: container, names: named},
	"impl_item":               {what: container | data, names: implemented},
	"mod_item":                {what: transparent, names: named},
	"declaration_list":        {what: transparent},
	"field_declaration":       {what: field, names: named},
	"enum_variant":            {what: field, names: named},
	"const_item":              {what: variable, names: named},
	"static_item":             {what: variable, names: named},
	"type_item":               {what: variable, names: named},
	"macro_definition":        {what: function, names: named},
	"closure_expression":      {what: function},
}

// implemented names an impl after its type without type arguments.
func implemented(n *ts.Node) []*ts.Node {
	t := n.ChildByFieldName("type")
	if t != nil && t.Kind() == "generic_type" {
		t = t.ChildByFieldName("type")
	}
	if t == nil {
		return nil
	}
	return []*ts.Node{t}
}

var rubyKinds = map[string]rule{
	"comment":          {what: comment},
	"method":           {what: function, names: named},
	"singleton_method": {what: function, names: named},
	"class":            {what: container, names: named},
	"module":           {what: container, names: named},
	"assignment":       {what: variable, names: assigned("assignment", []string{"constant"}, nil)},
	"body_statement":   {},
}

var phpKinds = map[string]rule{
	"comment":               {what: comment},
	"namespace_definition":  {what: transparent | data, names: named},
	"function_definition":   {what: function, names: named},
	"class_declaration":     {what: container, names: named},
	"interface_declaration": {what: container, names: named},
	"trait_declaration":     {what: container, names: named},
	"enum_declaration":      {what: container, names: named},
	"enum_case":             {what: field, names: named},
	"method_declaration":    {what: function, names: named},
	"const_declaration":     {what: variable, names: every("const_element", first())},
	"property_declaration":  {what: field, names: every("property_element", first())},
	"anonymous_function":    {what: function},
	"arrow_function":        {what: function},
}

var csharpKinds = map[string]rule{
	"comment":                           {what: comment},
	"namespace_declaration":             {what: transparent | data, names: named},
	"file_scoped_namespace_declaration": {what: transparent | data, names: named},
	"declaration_list":                  {what: transparent},
	"class_declaration":                 {what: container, names: named},
	"struct_declaration":                {what: container, names: named},
	"interface_declaration":             {what: container, names: named},
	"record_declaration":                {what: container, names: named},
	"enum_declaration":                  {what: container, names: named},
	"enum_member_declaration":           {what: field, names: named},
	"delegate_declaration":              {what: plain, names: named},
	"method_declaration":                {what: function, names: named},
	"constructor_declaration":           {what: function | data, names: named},
	"local_function_statement":          {what: function, names: named},
	"property_declaration":              {what: field, names: named},
	"event_declaration":                 {what: field, names: named},
	"event_field_declaration":           {what: field, names: every("variable_declaration", every("variable_declarator", named))},
	"field_declaration":                 {what: field, names: every("variable_declaration", every("variable_declarator", named))},
	"lambda_expression":                 {what: function},
}

var bashKinds = map[string]rule{
	"comment":             {what: comment},
	"function_definition": {what: function, names: named},
	"declaration_command": {what: wrapper},
	"variable_assignment": {what: variable, names: named},
}

var cssKinds = map[string]rule{
	"comment":             {what: comment},
	"rule_set":            {what: data, names: first("selectors")},
	"keyframes_statement": {what: data, names: first("keyframes_name")},
	"media_statement":     {what: transparent},
	"supports_statement":  {what: transparent},
	"block":               {what: transparent},
}

var htmlKinds = map[string]rule{
	"comment": {what: comment},
	"element": {what: data | transparent, names: tag("start_tag", "attribute", "quoted_attribute_value", false)},
}

var jsonKinds = map[string]rule{
	"comment": {what: comment},
	"object":  {what: transparent},
	"pair":    {what: data, names: by("key")},
}

var yamlKinds = map[string]rule{
	"comment":            {what: comment},
	"document":           {what: transparent},
	"block_node":         {what: transparent},
	"block_mapping":      {what: transparent},
	"block_mapping_pair": {what: data, names: by("key")},
}

var tomlKinds = map[string]rule{
	"comment":             {what: comment},
	"table":               {what: data, names: first()},
	"table_array_element": {what: data, names: first()},
	"pair":                {what: data, names: first()},
}

var xmlKinds = map[string]rule{
	"Comment": {what: comment},
	"element": {what: data, names: tag("STag", "", "", true)},
	"content": {what: transparent},
}

func extend(base, more map[string]rule) map[string]rule {
	all := maps.Clone(base)
	maps.Copy(all, more)
	return all
}
