import { describeHubObjects } from "../hub-objects.contract.fixture.ts";
import { openClusterHarness } from "./cluster-harness.fixture.ts";

describeHubObjects("a Kubernetes cluster with Argo CD's kinds", openClusterHarness);
