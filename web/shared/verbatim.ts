/** The attributes of a field for codes and addresses, which the browser must not change or mark. */
export const VERBATIM = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const
