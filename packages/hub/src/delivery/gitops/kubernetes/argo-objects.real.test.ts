import { describeHubObjects } from "../hub-objects.contract.fixture.ts";
import { openClusterBed } from "./cluster-bed.fixture.ts";

describeHubObjects("a Kubernetes cluster with Argo CD's kinds", openClusterBed);
