/** The source of a pattern for a moment near now on a page: "today at 2:03 PM", or with the day around midnight. */
export const MOMENT_NEAR_NOW = '(?:today at|[A-Z][a-z]{2} \\d{1,2}, \\d{4},) \\d'
