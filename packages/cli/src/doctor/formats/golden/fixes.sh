# argocd.application-namespaces: Argo CD's server doesn't take applications of other namespaces.
kubectl patch deployments.apps argocd-server --namespace argocd --type json --patch '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--application-namespaces=*"}]'

# argocd.project: The project allows too little.
# Not run unless you uncomment it. Whoever may make applications may deploy anything.
# kubectl apply --server-side -f - <<'END_OF_FILE'
# apiVersion: argoproj.io/v1alpha1
# kind: AppProject
# metadata:
#   name: p
# END_OF_FILE

# Lets you read what these checks need.
kubectl apply --server-side -f - <<'END_OF_FILE'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: d
END_OF_FILE
