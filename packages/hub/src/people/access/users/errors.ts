import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  USER_NOT_FOUND: {
    httpStatus: 404,
    message: "No user with this name has signed in.",
    hint: "List the users: `fairlead access user list`.",
  },
  USER_NAME_TAKEN: {
    httpStatus: 409,
    message: "The name {name} is in use by another account of the identity provider.",
    hint: "If the name has moved to a new person, ask an admin to remove the former user: `fairlead access user delete`.",
    meaning: "Another account of the identity provider has already used this name at the hub.",
  },
} as const;

export const userErrors: Errors<typeof table> = defineErrors(table);
