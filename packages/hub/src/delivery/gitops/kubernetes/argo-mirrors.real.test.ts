import { describeMirrors } from "../mirrors.contract.fixture.ts";
import { openClusterBed } from "./cluster-bed.fixture.ts";

describeMirrors("a Kubernetes cluster with Argo CD's kinds", openClusterBed);
