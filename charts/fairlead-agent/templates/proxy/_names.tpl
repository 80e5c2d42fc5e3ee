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
