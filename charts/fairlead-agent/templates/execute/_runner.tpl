{{/* Whether the pods of the role execute have a runner: the plain agent's image has no programs that it could run. */}}
{{- define "fairlead-agent.execute.hasRunner" -}}
{{- if and .Values.execute.runner.enabled (ne .Values.execute.image.repository .Values.image.repository) }}true{{ end -}}
{{- end -}}

{{/* The part of the values about it, for the pod. */}}
{{- define "fairlead-agent.execute.runner" -}}
{{- set (deepCopy .Values.execute.runner) "enabled" (eq "true" (include "fairlead-agent.execute.hasRunner" .)) | toYaml -}}
{{- end -}}

{{/*
The container that runs the programs of commands. The folder that it shares with the agent is all that it has: no
ServiceAccount, no variables and no other volume. Takes what the pod takes.
*/}}
{{- define "fairlead-agent.runner" -}}
- name: runner
  image: {{ include "fairlead-agent.image" (dict "root" .root "own" .values.image) | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [/usr/bin/fairlead-runner]
  args: [serve, --socket, /run/fairlead/runner/runner.sock]
  # Commands that end with the pod still need it: it stays while one of them has a folder.
  lifecycle:
    preStop:
      exec:
        command: [/bin/sh, -c, 'while set -- /run/fairlead/runner/runs/work-*; [ -e "$1" ]; do sleep 1; done']
  {{- with .runner.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- if not .root.Values.platformUser }}
    # Not the agent's user, but its group, to whom the files of runs belong.
    runAsUser: {{ .runner.runAsUser }}
    runAsGroup: 65532
    {{- end }}
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    privileged: false
    capabilities:
      drop: [ALL]
  volumeMounts:
    - name: runner
      mountPath: /run/fairlead/runner
{{- end -}}
