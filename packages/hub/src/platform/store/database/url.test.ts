import { describe, expect, it } from "vitest";
import { parseDatabaseUrl, showAddress } from "./url.ts";

describe("the address of a database", () => {
  it("is read with its escapes and defaults", () => {
    expect(parseDatabaseUrl("postgres://hub:p%40ss%2Fword@db.example.com/fairlead\n")).toEqual({
      host: "db.example.com",
      port: 5_432,
      user: "hub",
      password: "p@ss/word",
      database: "fairlead",
      tls: "verify-full",
    });
    expect(parseDatabaseUrl("postgresql://hub@[::1]:6543/fairlead")).toMatchObject({ host: "::1", port: 6_543 });
  });

  it.each([
    ["postgres://u@db.example.com/f", "verify-full"],
    ["postgres://u@10.0.0.7/f", "verify-full"],
    ["postgres://u@127.0.0.1.example.com/f", "verify-full"],
    ["postgres://u@localhost/f", "disable"],
    ["postgres://u@127.0.0.1/f", "disable"],
    ["postgres://u@[::1]/f", "disable"],
    ["postgres://u@localhost/f?sslmode=verify-full", "verify-full"],
    ["postgres://u@db.example.com/f?sslmode=disable", "disable"],
    ["postgres://u@db.example.com/f?sslmode=require", "require"],
    ["postgres://u@/f?host=/run/postgresql", "disable"],
    ["postgres:///f?host=/run/postgresql&sslmode=verify-full", "no user"],
    ["postgres://u@%2Frun%2Fpostgresql/f", "disable"],
  ])("%s is reached with %s", (url, tls) => {
    if (tls === "no user") expect(() => parseDatabaseUrl(url)).toThrow("it names no user");
    else expect(parseDatabaseUrl(url).tls).toBe(tls);
  });

  it.each([
    "mysql://u:geheim@h/f",
    "u:geheim@h/f",
    "postgres://u:geheim@h:x/f",
    "postgres://u:geheim@a,b/f",
    "postgres://u:geheim@h/",
    "postgres://u:geheim@h/f/g",
    "postgres://:geheim@h/f",
    "postgres://u:geheim@/f",
    "postgres://u:geheim#1@h/f",
    "postgres://u:geheim%x@h/f",
    "postgres://u@h/f?password=geheim",
    "postgres://u:geheim@h/f?sslmode=prefer",
    "postgres://u:geheim@h/f?sslmode=geheim",
  ])("%s is refused without being repeated", (url) => {
    let thrown: unknown;
    try {
      parseDatabaseUrl(url);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "STORE_URL_INVALID" });
    expect(JSON.stringify(thrown) + String((thrown as Error).stack) + String(thrown)).not.toContain("geheim");
  });

  it("is shown without user and password", () => {
    expect(showAddress(parseDatabaseUrl("postgres://u:geheim@h/f"))).toBe("f at h:5432");
    expect(showAddress(parseDatabaseUrl("postgres://u:geheim@[fd00::1]/f"))).toBe("f at [fd00::1]:5432");
    expect(showAddress(parseDatabaseUrl("postgres://u@/f?host=/run/pg"))).toBe("f at /run/pg");
  });
});
