/** For an app that registered itself. Its name can be anything. */
export const SELF_REGISTERED = 'Registered itself here: we don’t know who runs it'
