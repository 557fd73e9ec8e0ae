import { brandName } from '../shared/brand.ts'
import { Monogram } from '../shared/components/Monogram.tsx'
import { OutsideLink } from '../shared/components/OutsideLink.tsx'
import { SELF_REGISTERED } from '../shared/format/self-registered.ts'
import type { OAuthClient } from '../shared/interaction/interaction.ts'
import { hostOf } from './host-of.ts'

type AppSummaryProps = { client: OAuthClient; redirectOrigin?: string | null }

/** Which app asks, and who runs it. Its logo is not shown, because a request would tell another site who views the page. */
export function AppSummary({ client, redirectOrigin = null }: AppSummaryProps) {
  const { name, policyUri, tosUri, isSelfRegistered } = client
  return (
    <div className="summary">
      <Monogram name={name} />
      <div>
        <p>
          <strong>{name}</strong>
        </p>
        <p className="soft">{describeOwner(client)}</p>
        {redirectOrigin !== null && <p className="soft">Takes you back to {hostOf(redirectOrigin)}</p>}
        {(policyUri ?? tosUri) !== null && (
          <p className="soft app-links">
            {policyUri !== null && (
              <OutsideLink href={policyUri} isHostShown={isSelfRegistered}>
                Privacy policy
              </OutsideLink>
            )}
            {tosUri !== null && (
              <OutsideLink href={tosUri} isHostShown={isSelfRegistered}>
                Terms
              </OutsideLink>
            )}
          </p>
        )}
      </div>
    </div>
  )
}

function describeOwner({ organizationName, isSelfRegistered }: OAuthClient): string {
  if (isSelfRegistered) return SELF_REGISTERED
  return `Run by ${organizationName ?? brandName}`
}
