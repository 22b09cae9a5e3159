/** A likely secret in a text, positioned in UTF-16 units. */
export interface Secret {
  /** One of the kinds of {@link kindName}. */
  kind: string;
  start: number;
  end: number;
}

/** Finds secrets of one family. */
export interface Detector {
  (text: string, yieldTurn?: () => Promise<void>): readonly Secret[] | Promise<readonly Secret[]>;
  /** Set for a detector that needs the whole text instead of slices. It calls `yieldTurn` itself. */
  readsWhole?: true;
}

/** True for kinds that are detected heuristically; see `detectLikely`, which is loaded only along with the rules. */
export function isLikelyOnly(kind: string): boolean {
  return kind === 'JSON_WEB_TOKEN' || kind === 'NAMED_VALUE';
}

/** Names of the kinds, by the message id of the rule set. Product names are the same in every language. */
const NAMES: Readonly<Record<string, string>> = {
  OWN: 'key stored by Docs Agent',
  SERVICE_KEY: 'docs agent API key',
  AWSSecretAccessKey: 'AWS secret access key',
  AWSAccessKeyID: 'AWS access key ID',
  AWSAccountID: 'AWS account ID',
  PrivateKeyP12: 'Google Cloud key file',
  PrivateKeyJSON: 'Google Cloud key file',
  PrivateKey: 'private key',
  PackageJSON_xOauthToken: 'GitHub token',
  Npmrc_authToken: 'npm token',
  NPM_ACCESS_TOKEN: 'npm token',
  BasicAuth: 'URL with a password',
  SLACK_TOKEN: 'Slack token',
  IncomingWebhook: 'Slack webhook URL',
  SENDGRID_KEY: 'SendGrid API key',
  SHOPIFY_KEY: 'Shopify key',
  STRIPE_SECRET_KEY_LIVE: 'Stripe secret key',
  STRIPE_SECRET_KEY_TEST: 'Stripe test key',
  STRIPE_RESTRICTED_KEY_LIVE: 'Stripe restricted key',
  STRIPE_RESTRICTED_KEY_TEST: 'Stripe restricted test key',
  GITHUB_TOKEN: 'GitHub token',
  GITLAB_PERSONAL_ACCESS_TOKEN: 'GitLab token',
  GRAFANA_CLOUD_API_TOKEN: 'Grafana token',
  GRAFANA_SERVICE_ACCOUNT_TOKEN: 'Grafana token',
  OPENAI_TOKEN: 'OpenAI API key',
  ANTHROPIC_API_KEY: 'Anthropic API key',
  GROQ_API_KEY: 'Groq API key',
  HUGGINGFACE_USER_ACCESS_TOKEN: 'Hugging Face token',
  LINEAR_API_TOKEN: 'Linear API key',
  NOTION_INTEGRATION_TOKEN: 'Notion token',
  OPS_TOKEN: '1Password service account token',
  MongoDBConnection: 'MongoDB URL with a password',
  MySQLConnection: 'MySQL URL with a password',
  PostgreSQLConnection: 'PostgreSQL URL with a password',
  HASHICORP_VAULT_SERVICE_TOKEN: 'Vault token',
  HASHICORP_VAULT_BATCH_TOKEN: 'Vault token',
  HASHICORP_VAULT_RECOVERY_TOKEN: 'Vault token',
  VERCEL_PERSONAL_ACCESS_TOKEN: 'Vercel token',
  VERCEL_INTEGRATION_TOKEN: 'Vercel token',
  VERCEL_APP_ACCESS_TOKEN: 'Vercel token',
  VERCEL_APP_REFRESH_TOKEN: 'Vercel token',
  VERCEL_AI_GATEWAY_API_KEY: 'Vercel API key',
  DATABRICKS_PERSONAL_ACCESS_TOKEN: 'Databricks token',
  DOCKER_PERSONAL_ACCESS_TOKEN: 'Docker token',
  FIGMA_PERSONAL_ACCESS_TOKEN: 'Figma token',
  CLOUDFLARE_GLOBAL_API_KEY: 'Cloudflare API key',
  CLOUDFLARE_USER_API_TOKEN: 'Cloudflare token',
  CLOUDFLARE_ACCOUNT_API_TOKEN: 'Cloudflare token',
  TAILSCALE_API_KEY: 'Tailscale key',
  TAILSCALE_AUTH_KEY: 'Tailscale key',
  TAILSCALE_CLIENT_KEY: 'Tailscale key',
  TAILSCALE_SCIM_KEY: 'Tailscale key',
  TAILSCALE_WEBHOOK_KEY: 'Tailscale key',
  TAILSCALE_KEY: 'Tailscale key',
  JSON_WEB_TOKEN: 'JSON Web Token',
  NAMED_VALUE: 'password or token, by its name',
};

/** The display name of a kind: “GitHub token”. A kind from a later rule set is just called a secret. */
export function kindName(kind: string): string {
  return NAMES[kind] ?? 'secret';
}
