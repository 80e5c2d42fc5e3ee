import { Fields, type KubeClient, kubeErrors } from "@fairlead/kube";

/** The name under which the API server knows the person who asks; undefined where it doesn't say. */
export async function askWhoIAm(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  try {
    const review = await client.request({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body,
      signal,
    });
    return new Fields(review).at("status", "userInfo", "username").text();
  } catch (error) {
    if (kubeErrors.is(error) || signal.aborted) return undefined;
    throw error;
  }
}
