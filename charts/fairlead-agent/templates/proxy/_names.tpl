{{- define "fairlead-agent.proxy.name" -}}
{{- printf "%s-proxy" (include "fairlead-agent.fullname" .) -}}
{{- end -}}

{{- define "fairlead-agent.proxy.serviceAccount" -}}
{{- default (include "fairlead-agent.proxy.name" .) .Values.proxy.serviceAccount.name -}}
{{- end -}}

{{- define "fairlead-agent.proxy.identitySecret" -}}
{{- printf "%s-identity" (include "fairlead-agent.proxy.name" .) -}}
{{- end -}}

{{/* All groups that the agent may act for: one a line. */}}
{{- define "fairlead-agent.proxy.groups" -}}
{{- $groups := list -}}
{{- range $name, $group := .Values.proxy.defaultGroups -}}
{{- if $group.enabled }}{{ $groups = append $groups (printf "fairlead:%s" $name) }}{{ end -}}
{{- end -}}
{{- join "\n" (concat $groups .Values.proxy.impersonate.groups | uniq) -}}
{{- end -}}

{{/* The policy file, as YAML; empty for none. Extras that RBAC lets the agent say are no use where its policy refuses them. */}}
{{- define "fairlead-agent.proxy.policy" -}}
{{- $policy := .Values.proxy.policy -}}
{{- with .Values.proxy.impersonate.extras -}}
{{- if not (hasKey $policy "extras") }}{{ $policy = set (deepCopy $policy) "extras" (dict "allow" .) }}{{ end -}}
{{- end -}}
{{- if $policy }}{{ toYaml $policy }}{{ end -}}
{{- end -}}
