import { describeMirrors } from "../mirrors.contract.fixture.ts";
import { openStoreHarness } from "./stored-objects-harness.fixture.ts";

describeMirrors("the hub's own store", openStoreHarness);
