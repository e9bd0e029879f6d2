-- owner: network
-- Keys that apps present: `api` keys name the network at sign-in, `server` keys let an app's backend vouch for users.
create table network_keys (
  key text primary key,
  kind text not null check (kind in ('api', 'server')),
  created_at timestamptz(3) not null
);

-- owner: network
-- Key pairs that sign access tokens. The newest signs; the others still verify until they are retired.
create table signing_keys (
  key_id text primary key,
  algorithm text not null,
  private_jwk json not null,
  public_jwk json not null,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3)
);

-- owner: network-settings
-- Settings of the whole network, one row a section (chat, social, ...). Only what differs from the defaults is stored.
create table network_settings (
  section text primary key,
  value json not null,
  updated_at timestamptz(3) not null
);
