import { createAuthClient } from 'better-auth/client'
import { adminClient, organizationClient } from 'better-auth/client/plugins'
import { fetchInFreshSession } from './fetch-in-fresh-session.ts'
import { RequestFailed } from './request-failed.ts'

/** The official client. A call returns its data or throws a RequestFailed. */
export const authentication = createAuthClient({
  plugins: [organizationClient(), adminClient()],
  fetchOptions: {
    throw: true,
    customFetchImpl: fetchInFreshSession,
    onError: ({ response, error }) => {
      throw RequestFailed.fromResponse(response, error)
    },
  },
})
