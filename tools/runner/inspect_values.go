package main

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// addRequiredProviders reads both spellings: an object, and the version alone.
func (i *inspector) addRequiredProviders(file string, found *hcl.Block) {
	attributes, problems := found.Body.JustAttributes()
	i.addProblems(file, problems)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		attribute := attributes[name]
		provider := declaredProvider{place: place{file, attribute.Range.Start.Line}, Name: name}
		if version, ok := literalOf(attribute.Expr); ok {
			provider.Version = version
			i.Providers = append(i.Providers, provider)
			continue
		}
		pairs, problems := hcl.ExprMap(attribute.Expr)
		i.addProblems(file, problems)
		for _, pair := range pairs {
			key, _ := literalOf(pair.Key)
			if key == "" {
				key = hcl.ExprAsKeyword(pair.Key)
			}
			value, isLiteral := literalOf(pair.Value)
			switch key {
			case "source":
				provider.Source = value
			case "version":
				provider.Version = value
			case "configuration_aliases":
				continue
			}
			if !isLiteral {
				i.addError(file, pair.Value.Range().Start.Line, "a required provider's "+key+" must be a literal")
			}
		}
		i.Providers = append(i.Providers, provider)
	}
}

// addProviderOf adds the provider that a resource has by its type, unless it names one. The first resource of each counts.
func (i *inspector) addProviderOf(file string, found *hcl.Block) {
	name, _, _ := strings.Cut(found.Labels[0], "_")
	content, _, _ := found.Body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "provider"}}})
	if content != nil && content.Attributes["provider"] != nil {
		named := content.Attributes["provider"].Expr
		if traversal, problems := hcl.AbsTraversalForExpr(named); !problems.HasErrors() {
			name = traversal.RootName()
		} else if variables := named.Variables(); len(variables) > 0 {
			// An instance chosen by a key, or an address quoted in JSON.
			name = variables[0].RootName()
		} else {
			i.addError(file, named.Range().Start.Line, "the provider of a resource must be a reference")
		}
	}
	if !i.implied[path.Dir(file)+" "+name] {
		i.implied[path.Dir(file)+" "+name] = true
		i.Providers = append(i.Providers, declaredProvider{place: placeOf(file, found), Name: name, Implied: true})
	}
}

// literal reads an argument. ok is false when it is missing or no literal.
func (i *inspector) literal(file string, body hcl.Body, name string) (value string, ok bool) {
	content, _, problems := body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: name}}})
	i.addProblems(file, problems)
	if content == nil || content.Attributes[name] == nil {
		return "", false
	}
	return literalOf(content.Attributes[name].Expr)
}

// literalOf evaluates without variables or functions. With no context at all JSON's templates would count as plain text.
func literalOf(expression hcl.Expression) (string, bool) {
	value, problems := expression.Value(&hcl.EvalContext{})
	if problems.HasErrors() || !value.IsWhollyKnown() || value.IsNull() || value.Type() != cty.String {
		return "", false
	}
	return value.AsString(), true
}
