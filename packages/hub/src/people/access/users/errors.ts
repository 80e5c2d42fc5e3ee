import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  USER_NOT_FOUND: {
    httpStatus: 404,
    message: "Nobody of this name has signed in.",
    hint: "`fairlead access user list` shows who has.",
  },
  USER_NAME_TAKEN: {
    httpStatus: 409,
    message: "The name {name} belongs to another account of the identity provider.",
    hint: "If it was given to someone else for good, an admin removes the former user: `fairlead access user delete`.",
    meaning: "An account of the identity provider comes with a name that another of its accounts has used here.",
  },
} as const;

export const userErrors: Errors<typeof table> = defineErrors(table);
