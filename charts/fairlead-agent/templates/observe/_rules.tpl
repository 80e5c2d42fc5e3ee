{{/* The kinds that the agent observes by itself, as RESOURCE[.GROUP]. The same list is in the agent; a test compares. */}}
{{- define "fairlead-agent.observe.defaultKinds" -}}
nodes
namespaces
pods
services
persistentvolumeclaims
persistentvolumes
resourcequotas
limitranges
events
deployments.apps
replicasets.apps
statefulsets.apps
daemonsets.apps
jobs.batch
cronjobs.batch
horizontalpodautoscalers.autoscaling
endpointslices.discovery.k8s.io
ingresses.networking.k8s.io
storageclasses.storage.k8s.io
customresourcedefinitions.apiextensions.k8s.io
apiservices.apiregistration.k8s.io
gatewayclasses.gateway.networking.k8s.io
gateways.gateway.networking.k8s.io
httproutes.gateway.networking.k8s.io
grpcroutes.gateway.networking.k8s.io
tlsroutes.gateway.networking.k8s.io
tcproutes.gateway.networking.k8s.io
udproutes.gateway.networking.k8s.io
applications.argoproj.io
appprojects.argoproj.io
rollouts.argoproj.io
workflows.argoproj.io
workflowtemplates.argoproj.io
gateways.networking.istio.io
virtualservices.networking.istio.io
notebooks.kubeflow.org
sparkapplications.sparkoperator.k8s.io
scheduledsparkapplications.sparkoperator.k8s.io
nodepools.karpenter.sh
nodeclaims.karpenter.sh
ec2nodeclasses.karpenter.k8s.aws
aksnodeclasses.karpenter.azure.com
nodeclasses.eks.amazonaws.com
scaledobjects.keda.sh
scaledjobs.keda.sh
certificates.cert-manager.io
certificaterequests.cert-manager.io
issuers.cert-manager.io
clusterissuers.cert-manager.io
prometheuses.monitoring.coreos.com
alertmanagers.monitoring.coreos.com
servicemonitors.monitoring.coreos.com
podmonitors.monitoring.coreos.com
prometheusrules.monitoring.coreos.com
{{- end -}}

{{/* The kinds that are read beside those for checks, and not observed: they are listed now and then. */}}
{{- define "fairlead-agent.observe.checkedKinds" -}}
clusterpolicies.kyverno.io
clusterpolicies.nvidia.com
clusterrolebindings.rbac.authorization.k8s.io
clusterroles.rbac.authorization.k8s.io
clustersecretstores.external-secrets.io
controlplanerevisions.mesh.cloud.google.com
csidrivers.storage.k8s.io
elastiservices.elasti.truefoundry.com
imagevalidatingpolicies.policies.kyverno.io
ingressclasses.networking.k8s.io
jspolicies.policy.jspolicy.com
k8sallowedrepos.constraints.gatekeeper.sh
k8sdisallowedrepos.constraints.gatekeeper.sh
k8sdisallowedtags.constraints.gatekeeper.sh
k8simagedigests.constraints.gatekeeper.sh
k8srequiredlabels.constraints.gatekeeper.sh
mutatingwebhookconfigurations.admissionregistration.k8s.io
nodes.metrics.k8s.io
policies.kyverno.io
priorityclasses.scheduling.k8s.io
secretstores.external-secrets.io
serviceaccounts
validatingpolicies.policies.kyverno.io
validatingwebhookconfigurations.admissionregistration.k8s.io
vmagents.operator.victoriametrics.com
vmalertmanagers.operator.victoriametrics.com
{{- end -}}

{{- define "fairlead-agent.observe.rules" -}}
{{- $kinds := concat (splitList "\n" (include "fairlead-agent.observe.defaultKinds" .)) .Values.observe.include | uniq -}}
{{- include "fairlead-agent.observe.rulesFor" (dict "root" . "kinds" $kinds "verbs" (list "get" "list" "watch")) -}}
{{- end -}}

{{/* For checks: to list some kinds, and to read some ConfigMaps by their names. */}}
{{- define "fairlead-agent.observe.doctorRules" -}}
{{- if .Values.observe.doctor.enabled -}}
{{- $kinds := splitList "\n" (include "fairlead-agent.observe.checkedKinds" .) -}}
{{- if not .Values.observe.doctor.probes.enabled -}}
{{- $kinds = without $kinds "nodes.metrics.k8s.io" -}}
{{- end -}}
{{- include "fairlead-agent.observe.rulesFor" (dict "root" . "kinds" $kinds "verbs" (list "list")) -}}
{{- with .Values.observe.doctor.configMaps }}
- apiGroups: [""]
  resources: [configmaps]
  resourceNames:
    {{- range . }}
    - {{ . | quote }}
    {{- end }}
  verbs: [get]
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
RBAC rules to read kinds: the agent's own choice in the same words. Of a kind that is included and excluded the pattern
that says more wins, and exclude where they say as much.
*/}}
{{- define "fairlead-agent.observe.rulesFor" -}}
{{- $include := .root.Values.observe.include -}}
{{- $exclude := .root.Values.observe.exclude -}}
{{- $verbs := .verbs -}}
{{- $byGroup := dict -}}
{{- range $kind := .kinds -}}
{{- $isAll := eq $kind "*" -}}
{{- $resource := ternary "*" (splitList "." $kind | first) $isAll -}}
{{- $group := ternary "*" (splitList "." $kind | rest | join ".") $isAll -}}
{{- $ofGroup := printf "*.%s" $group -}}
{{- $wanted := 1 -}}
{{- if has "*" $include }}{{ $wanted = 2 }}{{ end -}}
{{- if has $ofGroup $include }}{{ $wanted = 3 }}{{ end -}}
{{- if and (has $kind $include) (not (has $kind (list "*" $ofGroup))) }}{{ $wanted = 4 }}{{ end -}}
{{- $unwanted := 0 -}}
{{- if has "*" $exclude }}{{ $unwanted = 2 }}{{ end -}}
{{- if has $ofGroup $exclude }}{{ $unwanted = 3 }}{{ end -}}
{{- if and (has $kind $exclude) (not (has $kind (list "*" $ofGroup))) }}{{ $unwanted = 4 }}{{ end -}}
{{- if gt $wanted $unwanted -}}
{{- $_ := set $byGroup $group (append (default list (get $byGroup $group)) $resource) -}}
{{- end -}}
{{- end -}}
{{- range $group := keys $byGroup | sortAlpha }}
- apiGroups: [{{ $group | quote }}]
  resources:
    {{- range get $byGroup $group | sortAlpha }}
    - {{ . | quote }}
    {{- end }}
  verbs: [{{ join ", " $verbs }}]
{{- end -}}
{{- end -}}
