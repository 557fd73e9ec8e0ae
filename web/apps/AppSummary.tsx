import { brandName } from '../shared/brand.ts'
import { Monogram } from '../shared/components/Monogram.tsx'
import { OutsideLink } from '../shared/components/OutsideLink.tsx'
import type { OAuthClient } from '../shared/interaction/interaction.ts'
import { hostOf } from './host-of.ts'

type AppSummaryProps = { client: OAuthClient; redirectOrigin?: string | null }

/** Which app asks, and who runs it. Its logo is not shown, because a request would tell another site who views the page. */
export function AppSummary({ client, redirectOrigin = null }: AppSummaryProps) {
  const { name, policyUri, tosUri } = client
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
            {policyUri !== null && <OutsideLink href={policyUri}>Privacy policy</OutsideLink>}
            {tosUri !== null && <OutsideLink href={tosUri}>Terms</OutsideLink>}
          </p>
        )}
      </div>
    </div>
  )
}

/** The name of an app that registers itself can be anything. */
function describeOwner({ organizationName, isSelfRegistered }: OAuthClient): string {
  if (isSelfRegistered) return 'Registered itself here: we don’t know who runs it'
  return `Run by ${organizationName ?? brandName}`
}
