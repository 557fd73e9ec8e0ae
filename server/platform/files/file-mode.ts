/** The bits of a file mode that let other users read, write or execute the file. */
export const GROUP_AND_OTHERS = 0o077
