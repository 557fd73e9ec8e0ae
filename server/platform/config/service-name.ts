/** The name of the service, as users see it. */
export const SERVICE_NAME = 'Accounts'
