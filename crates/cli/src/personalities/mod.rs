//! Old command lines and their looks: a parser and a renderer each, over a workload. No engines here.
