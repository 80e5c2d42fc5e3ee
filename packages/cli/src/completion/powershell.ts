import type { CommandNode, OptionNode } from "./command-tree.ts";
import { namesCommandName } from "./names-command.ts";

export function powershellCompletion(tree: readonly CommandNode[]): string {
  return `# PowerShell completion for fairlead; load it with: fairlead completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName fairlead -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
${tree.map(nodeEntry).join("\n")}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $at = ''
  foreach ($word in $typed) {
    $next = if ($at) { "$at $word" } else { $word }
    if ($commands.ContainsKey($next)) { $at = $next }
  }
  $node = $commands[$at]
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $value = $node.Values[$previous]
  $words = @()
  if ($value) {
    if ($value.File) { return }
    $words = @($value.Words)
    if ($value.Names) { $words += @(fairlead ${namesCommandName} $value.Names -- @typed 2>$null) }
  } elseif ($wordToComplete.StartsWith('-')) {
    $words = @($node.Flags)
  } else {
    $words = @($node.Words)
    if ($node.Names) { $words += @(fairlead ${namesCommandName} $node.Names -- @typed 2>$null) }
  }
  $words | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | Sort-Object -Unique | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function nodeEntry(node: CommandNode): string {
  const words = [...node.commands.map(({ name }) => name), ...node.choices];
  const flags = node.options.flatMap((option) => option.flags);
  const values = node.options.flatMap((option) =>
    option.value.type === "none" ? [] : option.flags.map((flag) => `${quote(flag)} = ${valueEntry(option)}`),
  );
  const names = node.operand === undefined ? "" : `; Names = ${quote(node.operand)}`;
  return `    ${quote(node.path)} = @{ Words = ${listOf(words)}; Flags = ${listOf(flags)}; Values = @{ ${values.join("; ")} }${names} }`;
}

function valueEntry({ value, choices }: OptionNode): string {
  switch (value.type) {
    case "file":
      return "@{ File = $true }";
    case "choice":
      return `@{ Words = ${listOf(choices)} }`;
    case "name":
      return `@{ Names = ${quote(value.name)} }`;
    case "text":
    case "none":
      return "@{ Words = @() }";
    default:
      return value satisfies never;
  }
}

function listOf(words: readonly string[]): string {
  return `@(${words.map(quote).join(", ")})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
