{{- define "fairlead-agent.observe.name" -}}
{{- printf "%s-observe" (include "fairlead-agent.fullname" .) -}}
{{- end -}}

{{- define "fairlead-agent.observe.serviceAccount" -}}
{{- default (include "fairlead-agent.observe.name" .) .Values.observe.serviceAccount.name -}}
{{- end -}}

{{- define "fairlead-agent.observe.identitySecret" -}}
{{- printf "%s-identity" (include "fairlead-agent.observe.name" .) -}}
{{- end -}}

{{/* Arguments of the role: YAML strings, one a line. */}}
{{- define "fairlead-agent.observe.args" -}}
{{- with .Values.observe -}}
- --observe-lease={{ include "fairlead-agent.observe.name" $ }}
- --observe-env-values={{ .envValues }}
- --observe-max-object-size={{ .maxObjectSize }}
- --observe-doctor={{ .doctor.enabled }}
{{- if .doctor.probes.enabled }}
- --observe-doctor-probes=true
{{- end }}
{{- with .include }}
- {{ printf "--observe-include=%s" (join "," .) | quote }}
{{- end }}
{{- with .exclude }}
- {{ printf "--observe-exclude=%s" (join "," .) | quote }}
{{- end }}
{{- with .namespaces }}
- --observe-namespaces={{ join "," . }}
{{- end }}
{{- with .labelSelector }}
- {{ printf "--observe-label-selector=%s" . | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* The allocator keeps what each thread once took apart from all others: 15 MiB that nobody uses. */}}
{{- define "fairlead-agent.observe.env" -}}
- name: MALLOC_ARENA_MAX
  value: "1"
{{- end -}}
