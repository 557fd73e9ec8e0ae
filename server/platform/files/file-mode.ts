export const GROUP_AND_OTHERS = 0o077
