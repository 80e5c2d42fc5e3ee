package main

import (
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

// The blocks that are looked at, by the names that OpenTofu's own schemas have.
var (
	fileSchema = schema(
		block("terraform"), block("provider", "name"), block("module", "name"), block("resource", "type", "name"),
		block("data", "type", "name"), block("ephemeral", "type", "name"), block("check", "name"), block("removed"),
	)
	terraformSchema = schema(
		block("backend", "type"), block("cloud"), block("required_providers"), block("encryption"),
	)
	encryptionSchema = schema(
		block("key_provider", "type", "name"), block("method", "type", "name"), block("state"), block("plan"),
		block("remote_state_data_sources"),
	)
	remoteStateSchema = schema(block("default"), block("remote_state_data_source", "name"))
	targetSchema      = schema(block("fallback"))
	checkSchema       = schema(block("data", "type", "name"))
	resourceSchema    = schema(block("provisioner", "type"))
	dynamicSchema     = schema(block("dynamic", "type"))
)

func (i *inspector) inspectFile(file string, content []byte) {
	var parsed *hcl.File
	var problems hcl.Diagnostics
	parser := hclparse.NewParser()
	if strings.HasSuffix(file, ".json") {
		parsed, problems = parser.ParseJSON(content, file)
		i.addFunctionsOfJSON(file, content)
	} else {
		parsed, problems = parser.ParseHCL(content, file)
	}
	i.addProblems(file, problems)
	if parsed == nil || parsed.Body == nil {
		return
	}
	if native, ok := parsed.Body.(*hclsyntax.Body); ok {
		i.addFunctions(native)
	}
	for _, found := range i.blocks(file, parsed.Body, fileSchema) {
		i.inspectBlock(file, found)
	}
}

func (i *inspector) inspectBlock(file string, found *hcl.Block) {
	at := placeOf(file, found)
	switch found.Type {
	case "terraform":
		i.TerraformBlocks++
		i.inspectTerraform(file, found)
	case "provider":
		version, _ := i.literal(file, found.Body, "version")
		i.Providers = append(i.Providers, declaredProvider{place: at, Name: found.Labels[0], Version: version})
	case "module":
		i.inspectModule(file, found)
	case "data":
		i.Data = append(i.Data, declaredDataSource{at, found.Labels[0], found.Labels[1]})
		i.addProviderOf(file, found)
	case "ephemeral":
		i.Ephemeral = append(i.Ephemeral, declaredDataSource{at, found.Labels[0], found.Labels[1]})
		i.addProviderOf(file, found)
	case "resource":
		i.addProviderOf(file, found)
		i.addProvisioners(file, found.Body)
	case "removed":
		i.addProvisioners(file, found.Body)
	case "check":
		for _, inner := range i.blocks(file, found.Body, checkSchema) {
			i.inspectBlock(file, inner)
		}
	}
}

func (i *inspector) inspectTerraform(file string, terraform *hcl.Block) {
	for _, found := range i.blocks(file, terraform.Body, terraformSchema) {
		switch found.Type {
		case "backend":
			i.Backends = append(i.Backends, placedType{placeOf(file, found), found.Labels[0]})
		case "cloud":
			i.Cloud = true
		case "required_providers":
			i.addRequiredProviders(file, found)
		case "encryption":
			i.Encryption = append(i.Encryption, placedType{placeOf(file, found), "block"})
			i.addEncryption(file, found.Body, encryptionSchema)
		}
	}
	for _, found := range dynamicBlocks(terraform.Body) {
		i.addError(file, found.DefRange.Start.Line, "a terraform block can't have dynamic blocks")
	}
}

func (i *inspector) addEncryption(file string, body hcl.Body, among *hcl.BodySchema) {
	for _, found := range i.blocks(file, body, among) {
		named := found.Type
		switch found.Type {
		case "key_provider", "method":
			named = found.Labels[0]
		case "remote_state_data_sources":
			i.addEncryption(file, found.Body, remoteStateSchema)
		default:
			i.addEncryption(file, found.Body, targetSchema)
		}
		i.Encryption = append(i.Encryption, placedType{placeOf(file, found), named})
	}
	for _, found := range dynamicBlocks(body) {
		i.Encryption = append(i.Encryption, placedType{placeOf(file, found), found.Labels[0]})
	}
}

func (i *inspector) inspectModule(file string, found *hcl.Block) {
	module := declaredModule{place: placeOf(file, found), Name: found.Labels[0]}
	module.Version, _ = i.literal(file, found.Body, "version")
	if source, ok := i.literal(file, found.Body, "source"); ok {
		module.Source = &source
		isLocal := strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../") || source == "." || source == ".."
		if isLocal && i.withModules {
			i.addFolder(path.Join(path.Dir(file), source), module.place)
		}
	}
	i.Modules = append(i.Modules, module)
}

// addProvisioners counts a dynamic block as one, too: better one too many.
func (i *inspector) addProvisioners(file string, body hcl.Body) {
	for _, found := range i.blocks(file, body, resourceSchema) {
		i.Provisioners = append(i.Provisioners, placedType{placeOf(file, found), found.Labels[0]})
	}
	for _, found := range dynamicBlocks(body) {
		if found.Labels[0] == "provisioner" {
			i.Provisioners = append(i.Provisioners, placedType{placeOf(file, found), "dynamic"})
		}
	}
}

// blocks leaves the rest of the body to whom it belongs.
func (i *inspector) blocks(file string, body hcl.Body, among *hcl.BodySchema) hcl.Blocks {
	content, _, problems := body.PartialContent(among)
	i.addProblems(file, problems)
	if content == nil {
		return nil
	}
	return content.Blocks
}

// dynamicBlocks knows no problems: in JSON an argument may have that name.
func dynamicBlocks(body hcl.Body) hcl.Blocks {
	content, _, _ := body.PartialContent(dynamicSchema)
	if content == nil {
		return nil
	}
	return content.Blocks
}

func (i *inspector) addFunctions(body *hclsyntax.Body) {
	hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		if call, ok := node.(*hclsyntax.FunctionCallExpr); ok {
			i.addFunction(call.Name)
		}
		return nil
	})
}

func (i *inspector) addFunctionsOfJSON(file string, content []byte) {
	whole, problems := hcljson.ParseExpression(content, file)
	i.addProblems(file, problems)
	expression, ok := whole.(interface{ Functions() []hcl.Traversal })
	if !ok {
		i.addError(file, 0, "the functions in JSON can't be listed")
		return
	}
	for _, function := range expression.Functions() {
		i.addFunction(function.RootName())
	}
}

func (i *inspector) addFunction(name string) {
	if strings.HasPrefix(name, "provider::") {
		i.Functions = append(i.Functions, name)
	}
}

func (i *inspector) addProblems(file string, problems hcl.Diagnostics) {
	for _, problem := range problems {
		if problem.Severity != hcl.DiagError {
			continue
		}
		line := 0
		if problem.Subject != nil {
			line = problem.Subject.Start.Line
		}
		i.addError(file, line, problem.Summary+": "+problem.Detail)
	}
}

func schema(blocks ...hcl.BlockHeaderSchema) *hcl.BodySchema { return &hcl.BodySchema{Blocks: blocks} }

func block(kind string, labels ...string) hcl.BlockHeaderSchema {
	return hcl.BlockHeaderSchema{Type: kind, LabelNames: labels}
}

func placeOf(file string, found *hcl.Block) place { return place{file, found.DefRange.Start.Line} }
