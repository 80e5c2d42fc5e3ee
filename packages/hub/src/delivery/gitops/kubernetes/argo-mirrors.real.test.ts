import { describeMirrors } from "../mirrors.contract.fixture.ts";
import { openClusterHarness } from "./cluster-harness.fixture.ts";

describeMirrors("a Kubernetes cluster with Argo CD's kinds", openClusterHarness);
