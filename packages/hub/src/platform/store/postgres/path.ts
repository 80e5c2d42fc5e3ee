/** Used when the process was started without a PATH. */
export const defaultPath = "/usr/local/bin:/usr/bin:/bin";
