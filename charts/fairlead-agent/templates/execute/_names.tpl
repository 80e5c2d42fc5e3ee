{{- define "fairlead-agent.execute.name" -}}
{{- printf "%s-execute" (include "fairlead-agent.fullname" .) -}}
{{- end -}}

{{- define "fairlead-agent.execute.serviceAccount" -}}
{{- default (include "fairlead-agent.execute.name" .) .Values.execute.serviceAccount.name -}}
{{- end -}}

{{- define "fairlead-agent.execute.identitySecret" -}}
{{- printf "%s-identity" (include "fairlead-agent.execute.name" .) -}}
{{- end -}}

{{/* Arguments of the role: YAML strings, one a line. */}}
{{- define "fairlead-agent.execute.args" -}}
- --execute-folder=/var/lib/fairlead-execute
- --execute-parallel={{ int .Values.execute.parallel }}
{{- if include "fairlead-agent.execute.hasRunner" . }}
- --execute-runner-socket=/run/fairlead/runner/runner.sock
{{- end }}
{{- if .Values.execute.tofu.providerMirror }}
- {{ printf "--tofu-provider-mirror=%s" .Values.execute.tofu.providerMirror | quote }}
{{- end }}
{{- if .Values.execute.tofu.providerCache }}
- --tofu-provider-cache={{ ternary "/run/fairlead/runner" "/var/lib/fairlead-execute" (eq "true" (include "fairlead-agent.execute.hasRunner" .)) }}/tofu-providers
{{- end }}
{{- if .Values.execute.commandKeys.configMap }}
- --command-keys-file=/etc/fairlead/command-keys/{{ .Values.execute.commandKeys.key }}
{{- end }}
{{- end -}}

{{/* The allocator keeps what each thread once took apart from all others: 15 MiB and more that nobody uses. */}}
{{- define "fairlead-agent.execute.env" -}}
- name: MALLOC_ARENA_MAX
  value: "1"
{{- end -}}
