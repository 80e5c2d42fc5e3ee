export { openTestRepository, type TestRepository, type TestTree } from "./repository.ts";
export { type GitHttp, startGitHttp } from "./start-git-http.ts";
export { type GitSsh, startGitSsh } from "./start-git-ssh.ts";
