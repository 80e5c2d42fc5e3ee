export { openTestRepository, type TestRepository } from "./repository.ts";
export { type GitHttp, startGitHttp } from "./start-git-http.ts";
export { type GitSsh, startGitSsh } from "./start-git-ssh.ts";
