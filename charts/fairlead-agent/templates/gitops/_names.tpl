{{- define "fairlead-agent.gitops.name" -}}
{{- printf "%s-gitops" (include "fairlead-agent.fullname" .) -}}
{{- end -}}

{{- define "fairlead-agent.gitops.serviceAccount" -}}
{{- default (include "fairlead-agent.gitops.name" .) .Values.gitops.serviceAccount.name -}}
{{- end -}}

{{- define "fairlead-agent.gitops.identitySecret" -}}
{{- printf "%s-identity" (include "fairlead-agent.gitops.name" .) -}}
{{- end -}}

{{/* Arguments of the role: YAML strings, one a line. */}}
{{- define "fairlead-agent.gitops.args" -}}
{{- with .Values.gitops -}}
- --gitops-lease={{ include "fairlead-agent.gitops.name" $ }}
- --gitops-modes={{ join "," .modes }}
- --argo-namespace={{ .argoNamespace }}
{{- with .applicationNamespaces }}
- --argo-application-namespaces={{ join "," . }}
{{- end }}
{{- end -}}
{{- end -}}
