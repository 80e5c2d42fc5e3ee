package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// inspectFiles inspects a folder with these files.
func inspectFiles(t *testing.T, withModules bool, files map[string]string) *inspection {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := inspectFolder(inspected{root: folder, start: ".", data: ".terraform", withModules: withModules})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func typesOf(placed []placedType) string {
	var types []string
	for _, one := range placed {
		types = append(types, one.Type)
	}
	slices.Sort(types)
	return strings.Join(types, " ")
}

func expect(t *testing.T, what string, actual, expected any) {
	t.Helper()
	if actual != expected {
		t.Errorf("%s: %v, expected %v", what, actual, expected)
	}
}

const nativeConfiguration = `
terraform {
  required_providers {
    aws   = { source = "hashicorp/aws", version = "~> 5.0" }
    older = "1.2.3"
  }
  backend "s3" {}
}
provider "google" { version = "4.0" }
data "external" "run" {
  program = ["sh"]
}
resource "null_resource" "x" {
  provisioner "local-exec" { command = "true" }
  triggers = { a = provider::sneaky::call("x") }
}
module "m" {
  source  = "git::https://example.com/m.git"
  version = "1.0.0"
}
`

const jsonConfiguration = `{
  "terraform": [
    {"required_providers": [{"aws": {"source": "hashicorp/aws", "version": "~> 5.0"}, "older": "1.2.3"}]},
    {"backend": {"s3": {}}}
  ],
  "provider": [{"google": [{"version": "4.0"}]}],
  "data": [{"external": [{"run": [{"program": ["sh"]}]}]}],
  "resource": {"null_resource": {"x": [{
    "provisioner": [{"local-exec": [{"command": "true"}]}],
    "triggers": {"a": "-${provider::sneaky::call(\"x\")}"}
  }]}},
  "module": {"m": {"source": "git::https://example.com/m.git", "version": "1.0.0"}}
}`

func TestEachSyntaxShowsTheSame(t *testing.T) {
	for name, content := range map[string]string{
		"main.tf": nativeConfiguration, "main.tofu": nativeConfiguration, "main_override.tf": nativeConfiguration,
		"override.tofu": nativeConfiguration, "main.tf.json": jsonConfiguration, "override.tofu.json": jsonConfiguration,
	} {
		t.Run(name, func(t *testing.T) {
			found := inspectFiles(t, false, map[string]string{name: content})
			expect(t, "errors", len(found.Errors), 0)
			expect(t, "files", strings.Join(found.Files, " "), name)
			expect(t, "backends", typesOf(found.Backends), "s3")
			expect(t, "provisioners", typesOf(found.Provisioners), "local-exec")
			expect(t, "functions", strings.Join(found.Functions, " "), "provider::sneaky::call")
			if len(found.Data) != 1 || found.Data[0].Type != "external" || found.Data[0].Name != "run" || found.Data[0].Line == 0 {
				t.Errorf("data: %v", found.Data)
			}
			if len(found.Modules) != 1 || *found.Modules[0].Source != "git::https://example.com/m.git" || found.Modules[0].Version != "1.0.0" {
				t.Errorf("modules: %v", found.Modules)
			}
			var providers []string
			for _, provider := range found.Providers {
				providers = append(providers, provider.Name+" "+provider.Source+" "+provider.Version)
			}
			slices.Sort(providers)
			expect(t, "providers", strings.Join(providers, ", "), "aws hashicorp/aws ~> 5.0, external  , google  4.0, null  , older  1.2.3")
		})
	}
}

func TestEncryptionIsFoundInEveryFileAndSpelling(t *testing.T) {
	native := `terraform {
  encryption {
    key_provider "external" "k" { command = ["sh"] }
    method "external" "m" {}
    state { 
      method = method.external.m
      fallback {}
    }
    remote_state_data_sources {
      default {}
    }
  }
}`
	found := inspectFiles(t, false, map[string]string{
		"main.tf": `terraform {}`,
		"a.tofu":  native,
		"b.tf.json": `{"terraform": [{}, [{"encryption": [{"key_provider": {"pbkdf2": {"p": {}}}},
			{"method": [{"aes_gcm": [{"x": {}}]}]}]}]]}`,
		"c.tf": `terraform {
  encryption {
    dynamic "key_provider" { 
      for_each = [1] 
      content {} 
    }
  }
}`,
	})
	expect(t, "errors", len(found.Errors), 0)
	expect(t, "encryption", typesOf(found.Encryption),
		"aes_gcm block block block block default external external fallback key_provider pbkdf2 remote_state_data_sources state")
	expect(t, "terraform blocks", found.TerraformBlocks, 5)
}

func TestPlacesWhereCodeHidesAreFound(t *testing.T) {
	found := inspectFiles(t, false, map[string]string{"main.tf": `
check "c" {
  data "external" "in_check" { program = ["sh"] }
}
removed {
  from = null_resource.x
  provisioner "local-exec" {
    when    = destroy
    command = "true"
  }
}
resource "null_resource" "d" {
  dynamic "provisioner" {
    for_each = [1]
    labels   = ["local-exec"]
    content {}
  }
}
ephemeral "vault_secret" "e" {}
data "http" "other" { provider = corp.west }
locals { template = "a ${upper(provider::deep::f(1))} b" }
`, "extra.tf.json": `{"check": [{"j": [{"data": [{"external": {"in_json": {}}}]}]}], "terraform": {"cloud": [{}]}}`})
	expect(t, "errors", len(found.Errors), 0)
	expect(t, "data", len(found.Data), 3)
	expect(t, "provisioners", typesOf(found.Provisioners), "dynamic local-exec")
	expect(t, "ephemeral", len(found.Ephemeral), 1)
	expect(t, "cloud", found.Cloud, true)
	expect(t, "functions", strings.Join(found.Functions, " "), "provider::deep::f")
	if !slices.ContainsFunc(found.Providers, func(p declaredProvider) bool { return p.Name == "corp" && p.Implied }) {
		t.Errorf("providers: %v", found.Providers)
	}
}

func TestSourcesThatAreNoLiteralsAreNull(t *testing.T) {
	found := inspectFiles(t, false, map[string]string{
		"main.tf":   `module "a" { source = var.where }`,
		"b.tf.json": `{"module": {"b": {"source": "${var.where}"}, "c": {"source": "${\"./\"}c"}}}`,
	})
	expect(t, "errors", len(found.Errors), 0)
	sources := map[string]*string{}
	for _, module := range found.Modules {
		sources[module.Name] = module.Source
	}
	if len(sources) != 3 || sources["a"] != nil || sources["b"] != nil || sources["c"] == nil || *sources["c"] != "./c" {
		t.Errorf("sources: %v", sources)
	}
}

func TestModulesAreFollowed(t *testing.T) {
	external := `data "external" "x" {}`
	files := map[string]string{
		"main.tf":                               `module "near" { source = "./near" }`,
		"near/main.tf":                          "module \"far\" { source = \"../far\" }\n" + external,
		"far/main.tf.json":                      `{"module": {"loop": {"source": "../near"}}, "data": {"external": {"x": {}}}}`,
		"unused/main.tf":                        external,
		".terraform/modules/modules.json":       `{"Modules":[{"Key":"","Dir":"."},{"Key":"git","Dir":".terraform/modules/git/sub"}]}`,
		".terraform/modules/git/sub/main.tofu":  external,
		".terraform/modules/git/other/main.tf":  external,
		".terraform/modules/git/sub/.hidden.tf": external,
	}
	found := inspectFiles(t, true, files)
	expect(t, "errors", len(found.Errors), 0)
	expect(t, "files", len(found.Files), 4)
	expect(t, "data", len(found.Data), 3)
	expect(t, "files without modules", len(inspectFiles(t, false, files).Files), 1)
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"broken HCL":         {"main.tf": `data "external" "x" {`},
		"broken JSON":        {"main.tf.json": `{"data":`},
		"JSON of no shape":   {"main.tf.json": `{"data": "external"}`},
		"labels missing":     {"main.tf": `data "external" {}`},
		"a module outside":   {"main.tf": `module "m" { source = "../m" }`},
		"a module missing":   {"main.tf": `module "m" { source = "./m" }`},
		"a broken manifest":  {".terraform/modules/modules.json": `{`},
		"a manifest outside": {".terraform/modules/modules.json": `{"Modules":[{"Dir":"../m"}]}`},
		"a computed source":  {"main.tf": "terraform {\n required_providers {\n  a = { source = upper(\"x\") }\n }\n}"},
		"too many bytes":     {"a.tf": "# " + strings.Repeat("x", maxInspectedBytes/2), "b.tf": "# " + strings.Repeat("x", maxInspectedBytes/2)},
	} {
		if found := inspectFiles(t, true, files); len(found.Errors) == 0 {
			t.Errorf("%s: no errors", name)
		}
	}
}

func TestLinksAndPipesAreErrors(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(outside, "main.tf"), []byte(`data "external" "x" {}`), 0o644)
	os.Symlink(filepath.Join(outside, "main.tf"), filepath.Join(folder, "link.tf"))
	os.Symlink(outside, filepath.Join(folder, "module"))
	os.WriteFile(filepath.Join(folder, "inner.txt"), []byte(`data "http" "inside" {}`), 0o644)
	os.Symlink("inner.txt", filepath.Join(folder, "inner.tf"))
	os.WriteFile(filepath.Join(folder, "main.tf"), []byte(`module "m" { source = "./module" }`), 0o644)
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe.tf"), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := inspectFolder(inspected{root: folder, start: ".", data: ".terraform", withModules: true})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "errors", len(found.Errors), 3)
	if len(found.Data) != 1 || found.Data[0].Name != "inside" {
		t.Errorf("data: %v", found.Data)
	}
}
