import { FramePage } from '../../shared/components/FramePage.tsx'
import { Clients } from '../../shared/oauth-clients/Clients.tsx'
import { AdministratorsOnly } from '../common/AdministratorsOnly.tsx'

export function Apps() {
  return (
    <FramePage heading="Apps" isWide>
      <AdministratorsOnly what="the apps of the service">
        <Clients
          owner={{ ownedBy: 'service' }}
          lead="All users can sign in to it with their account here. Owners connect apps of their organization themselves."
        />
      </AdministratorsOnly>
    </FramePage>
  )
}
