/** For a process that was started without a PATH. */
export const defaultPath = "/usr/local/bin:/usr/bin:/bin";
