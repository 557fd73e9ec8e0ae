const { locale } = new Intl.DateTimeFormat().resolvedOptions()

/**
 * The pages are in English, and so are their dates. The region of the browser chooses the order of a date and the hours
 * of a day.
 */
export const LOCALE = `en-${new Intl.Locale(locale).maximize().region}`
