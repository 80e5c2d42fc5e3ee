import { describe, expect, it } from "vitest";
import { certificateTime, createAuthority, describeCertificate } from "./index.ts";

describe("certificateTime", () => {
  const minuteMs = 60_000;
  const issuedAt = Date.UTC(2030, 0, 1);
  const dates = { notBefore: issuedAt - 5 * minuteMs, notAfter: issuedAt + 60 * minuteMs };

  it("lets a clock be five minutes behind", () => {
    expect(certificateTime(dates, issuedAt - 5 * minuteMs).state).toBe("valid");
  });

  it("says by how much a clock that is ten minutes behind comes too early", () => {
    expect(certificateTime(dates, issuedAt - 10 * minuteMs)).toEqual({ state: "not-yet-valid", earlyMs: 5 * minuteMs });
  });

  it("sees the end ten minutes early by a clock that is ten minutes ahead", () => {
    expect(certificateTime(dates, issuedAt + 55 * minuteMs + 10 * minuteMs)).toEqual({
      state: "expired",
      lateMs: 5 * minuteMs,
    });
    expect(certificateTime(dates, issuedAt + 10 * minuteMs)).toEqual({ state: "valid", leftMs: 50 * minuteMs });
  });
});

describe("describeCertificate", () => {
  it("says the same of a certificate in PEM and in DER", async () => {
    const { caPem } = await createAuthority({ commonName: "test CA", days: 1 });
    const der = Buffer.from(caPem.replace(/-----.*-----/g, ""), "base64");
    expect(describeCertificate(der)).toEqual(describeCertificate(caPem));
  });

  it("refuses what is no certificate", () => {
    expect(() => describeCertificate("nothing")).toThrow(
      expect.objectContaining({ code: "IDENTITY_CERTIFICATE_MALFORMED" }),
    );
  });
});
